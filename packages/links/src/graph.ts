import { compareText, type ObjectId } from "@self-context-manager/objects";

import { backlinksOf, type FollowedLink, type LinkParts, linksOf } from "./follow-links.ts";

/** Which links of an object are followed: those that it has, those that lead to it, or both. */
export type Direction = "out" | "in" | "both";

/** A link between two objects. */
export interface Edge {
  readonly from: ObjectId;
  readonly to: ObjectId;
  /** The type of the relation; `links_to` for a plain link. */
  readonly relation: string;
  readonly link: FollowedLink["link"];
  /** True if the name of the link has several meanings. */
  readonly isAmbiguous: boolean;
}

/** Which links `walkLinks` follows, and how far. */
export interface WalkOptions {
  readonly direction?: Direction;
  /** Only links with one of these relations. */
  readonly relations?: readonly string[];
  /** How many links a path can have. Default 1. */
  readonly depth?: number;
  /** The greatest number of objects. Default 100. */
  readonly limit?: number;
}

/** An object of a walk, with the number of links of the shortest path to it. */
export interface Reached {
  readonly id: ObjectId;
  readonly depth: number;
}

/** The result of `walkLinks`. */
export interface LinkWalk {
  /** The objects in the order in which they were reached; the first one is where the walk began. */
  readonly objects: readonly Reached[];
  /** The links between these objects that were followed, each once. */
  readonly edges: readonly Edge[];
  /** True if objects were left out because of the limit. */
  readonly isCut: boolean;
}

/** The relation of a link that has no other. */
export const plainRelation = "links_to";

/** Returns the links of an object in a direction. Links that lead nowhere are not among them. */
export async function edgesOf(
  id: ObjectId,
  { direction = "both", relations }: Pick<WalkOptions, "direction" | "relations">,
  parts: LinkParts,
): Promise<readonly Edge[]> {
  const out = direction === "in" ? [] : await linksOf([id], parts);
  const back = direction === "out" ? [] : await backlinksOf(id, parts);
  // A link to the document itself is in both lists.
  const others = direction === "both" ? back.filter(({ from }) => from.id !== id) : back;
  return [...out, ...others]
    .flatMap(edgeOf)
    .filter(({ relation }) => relations === undefined || relations.includes(relation));
}

function edgeOf({ from, link, target }: FollowedLink): readonly Edge[] {
  if (target.state === "unresolved") return [];
  return [
    {
      from: from.id,
      to: target.id,
      relation: link.relation ?? plainRelation,
      link,
      isAmbiguous: target.state === "ambiguous",
    },
  ];
}

/** Walks along links from an object, breadth first. Circles are the rule: each object is reached once. */
export async function walkLinks(
  start: ObjectId,
  options: WalkOptions,
  parts: LinkParts,
): Promise<LinkWalk> {
  const { depth: deepest = 1, limit = 100 } = options;
  const objects: Reached[] = [{ id: start, depth: 0 }];
  const known = new Set<ObjectId>([start]);
  const edges = new Map<string, Edge>();
  let isCut = false;
  for (const { id, depth } of objects) {
    if (depth >= deepest) break;
    for (const edge of inOrder(await edgesOf(id, options, parts))) {
      const other = edge.from === id ? edge.to : edge.from;
      if (!known.has(other)) {
        if (objects.length >= limit) {
          isCut = true;
          continue;
        }
        known.add(other);
        objects.push({ id: other, depth: depth + 1 });
      }
      edges.set(`${edge.from} ${edge.link.range[0]}`, edge);
    }
  }
  return { objects, edges: [...edges.values()], isCut };
}

function inOrder(edges: readonly Edge[]): readonly Edge[] {
  return edges.toSorted(
    (one, other) => compareText(one.from, other.from) || one.link.range[0] - other.link.range[0],
  );
}
