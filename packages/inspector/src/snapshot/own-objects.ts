import {
  collectReferences,
  type ObjectId,
  type StoredMetadata,
} from "@self-context-manager/objects";

import type { GraphAnswer, ObjectAnswer } from "../answers.ts";

// A snapshot is of one session. What only other sessions say or know is not in it.

/** The ids of a session's chat and views. */
export function partsOfSession(stored: StoredMetadata | undefined): readonly ObjectId[] {
  return stored === undefined
    ? []
    : collectReferences(stored.body).map(({ reference }) => reference.id);
}

/** The objects of a session, and the versions of one of them that its calls showed. */
export interface OwnObject {
  readonly own: ReadonlySet<ObjectId>;
  readonly shown: ReadonlySet<number>;
}

/** The fields of metadata that are the same in all versions, or that say what an object is. */
const lasting: ReadonlySet<string> = new Set([
  "id",
  "type",
  "path",
  "tool",
  "args_display",
  "file_type",
]);

/**
 * An object without what other sessions say about it, and without what a newer version says that the session has not
 * shown.
 */
export function objectWithin(answer: ObjectAnswer, { own, shown }: OwnObject): ObjectAnswer {
  const within = {
    ...answer,
    referrers: answer.referrers.filter(({ id }) => own.has(id)),
    backlinks: answer.backlinks.filter(({ id }) => own.has(id)),
  };
  if (shown.size === 0 || answer.version <= Math.max(...shown)) return within;
  return {
    ...within,
    metadata: answer.metadata.filter(([field]) => lasting.has(field)),
    references: answer.references.filter(({ id }) => own.has(id)),
    links: [],
  };
}

/** The part of a graph that has only the session's objects. */
export function graphWithin(
  { nodes, edges, ...answer }: GraphAnswer,
  own: ReadonlySet<ObjectId>,
): GraphAnswer {
  return {
    ...answer,
    nodes: nodes.filter(({ id, distance }) => distance === 0 || own.has(id)),
    edges: edges.filter(({ from, to }) => own.has(from) && own.has(to)),
  };
}
