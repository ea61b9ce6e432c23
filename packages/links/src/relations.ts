import {
  defined,
  type IndexedLink,
  type ObjectId,
  type ParsedLink,
} from "@self-context-manager/objects";

import { backlinksOf, type FollowedLink, type LinkParts } from "./follow-links.ts";
import { plainRelation } from "./graph.ts";
import { folded } from "./name-keys.ts";

/** A relation that is looked for, with the name of its target if one is given. */
export interface WantedRelation {
  readonly relation: string;
  readonly name?: string;
}

/** The number of links that are read at once. */
const linksAtOnce = 500;

/** Reads a relation with or without a target: `part_of`, `part_of budget`, `part_of:budget`. */
export function readRelation(given: string): WantedRelation {
  const [, relation = "", name] = /^([^\s:]+)(?:\s*[\s:]\s*(.+))?$/su.exec(given.trim()) ?? [];
  return { relation, ...defined({ name }) };
}

/** Returns the first link with a relation of each document. The case of the relation does not count. */
export async function linksWithRelation(
  relation: string,
  { store, parser }: LinkParts,
): Promise<readonly IndexedLink[]> {
  const found: IndexedLink[] = [];
  for (let after: ObjectId | undefined; ;) {
    const links = await store.documents.links(parser.name, {
      limit: linksAtOnce,
      ...defined({ after }),
    });
    found.push(...links.filter(({ link }) => hasRelation(link, relation)));
    after = links.at(-1)?.from.id;
    if (after === undefined) return firstOfEach(found);
  }
}

/** Returns the first link with a relation to an object of each document. */
export async function backlinksWithRelation(
  id: ObjectId,
  relation: string,
  parts: LinkParts,
): Promise<readonly FollowedLink[]> {
  const links = await backlinksOf(id, parts);
  return firstOfEach(links.filter(({ link }) => hasRelation(link, relation)));
}

function hasRelation(link: Pick<ParsedLink, "relation">, relation: string): boolean {
  return folded(link.relation ?? plainRelation) === folded(relation);
}

function firstOfEach<Link extends Pick<IndexedLink, "from">>(
  links: readonly Link[],
): readonly Link[] {
  return [...new Map(links.toReversed().map((one) => [one.from.id, one])).values()].toReversed();
}
