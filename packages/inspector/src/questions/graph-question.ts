import { defined, type ObjectId, type StoredMetadata } from "@self-context-manager/objects";
import { type Edge, edgesOf } from "@self-context-manager/links";

import type { GraphAnswer } from "../answers.ts";
import { referencesOf, someReferrersOf } from "./object-question.ts";
import { QuestionError } from "./question-error.ts";
import { isDamage, type Reading } from "./reading.ts";

/** The greatest number of objects in a graph. */
const mostNodes = 150;

/** The references to one object that are followed. */
const mostReferrers = 200;

const deepest = 2;

/**
 * Objects that refer to everything of a session. A way through them would connect all objects, so they are shown only
 * beside the middle, and no way leads through them.
 */
const hubs: ReadonlySet<string> = new Set(["session", "chat", "view", "system_prompt"]);

type GraphEdge = GraphAnswer["edges"][number];

/** The objects around an object: two steps along references and links, in both directions. */
export async function graphAnswer(reading: Reading, id: ObjectId): Promise<GraphAnswer> {
  const start = (await reading.described([id])).get(id);
  if (start === undefined)
    throw new QuestionError("NOT_FOUND", "The store has no object with this id, or it is damaged.");
  await reading.updateLinks();
  const nodes = new Map<ObjectId, { readonly distance: number; readonly stored?: StoredMetadata }>([
    [id, { distance: 0, stored: start }],
  ]);
  const edges = new Map<string, GraphEdge>();
  let isCut = false;
  let ring: readonly ObjectId[] = [id];
  for (let distance = 1; distance <= deepest && ring.length > 0; distance += 1) {
    const around = await edgesAround(reading, ring, reading.folderOf(start));
    isCut ||= around.isCut;
    const others = around.edges
      .flatMap(({ from, to }) => [from, to])
      .filter((one) => !nodes.has(one));
    const described = await reading.described(others);
    const next: ObjectId[] = [];
    for (const edge of around.edges) {
      for (const other of [edge.from, edge.to]) {
        if (nodes.has(other)) continue;
        const stored = described.get(other);
        const isHub = stored !== undefined && hubs.has(stored.body.type);
        if (isHub && distance > 1) continue;
        if (nodes.size >= mostNodes) {
          isCut = true;
          continue;
        }
        nodes.set(other, { distance, ...defined({ stored }) });
        if (stored !== undefined && !isHub) next.push(other);
      }
      if (nodes.has(edge.from) && nodes.has(edge.to))
        edges.set(`${edge.kind} ${edge.from} ${edge.to} ${edge.relation}`, edge);
    }
    // From a hub, the second step would be that of all its neighbours.
    ring = hubs.has(start.body.type) ? [] : next;
  }
  return {
    nodes: [...nodes].map(([one, { distance, stored }]) => ({
      ...reading.named(one, stored),
      distance,
    })),
    edges: [...edges.values()],
    isCut,
  };
}

async function edgesAround(
  reading: Reading,
  ids: readonly ObjectId[],
  folder: string,
): Promise<{ readonly edges: readonly GraphEdge[]; readonly isCut: boolean }> {
  const edges: GraphEdge[] = [];
  let isCut = false;
  const out = await referencesOf(reading, ids);
  for (const id of ids) {
    for (const { path, reference } of out.get(id) ?? [])
      edges.push({ from: id, to: reference.id, relation: fieldOf(path), kind: "reference" });
    const into = await someReferrersOf(reading, id, mostReferrers);
    isCut ||= into.isCut;
    for (const referrer of into.referrers)
      edges.push({
        from: referrer.id,
        to: id,
        relation: fieldOf(referrer.path),
        kind: "reference",
      });
    for (const { from, to, relation } of await linksAround(reading, id, folder))
      edges.push({ from, to, relation, kind: "link" });
  }
  return { edges, isCut };
}

async function linksAround(
  reading: Reading,
  id: ObjectId,
  workspace: string,
): Promise<readonly Edge[]> {
  const { store, parser } = reading;
  if (parser === undefined) return [];
  try {
    return await edgesOf(id, {}, { store, parser, workspace });
  } catch (error) {
    // The references of a damaged document's neighbours are still shown.
    if (isDamage(error)) return [];
    throw error;
  }
}

/** The field of a reference from its place: `/provenance/parent_refs/0` is `provenance.parent_refs`. */
function fieldOf(path: string): string {
  return path
    .split("/")
    .filter((step) => step !== "" && !/^\d+$/u.test(step))
    .join(".");
}
