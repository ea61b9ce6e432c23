import { join } from "node:path";

import { followValue, type Step } from "./follow-value.ts";
import { readSources } from "./sources.ts";

/** A value that is followed. */
export interface Walk {
  /** `file:function:parameter`, with the file from the root of the workspace. */
  readonly start: string;
  /** Methods whose result still is the value. */
  readonly through: readonly string[];
}

/**
 * The messages of a host while they are ingested. An identity stands for its message; what a codec decodes is a message
 * of the chat, which is another value.
 */
export const ingestWalk: Walk = {
  start: "packages/core/src/history/ingest-messages.ts:ingestMessages:messages",
  through: ["identify"],
};

/** The input of the layout with epochs, on its way to the messages of a view. */
export const viewWalk: Walk = {
  start: "packages/core/src/layouts/epoch/decide.ts:decide:context",
  through: [],
};

/** Follows a value of a workspace. Default: this one. */
export function follow(
  { start, through }: Walk,
  root: string = join(import.meta.dirname, "..", ".."),
): readonly Step[] {
  const sources = readSources(root);
  const [file = "", name = "", parameter = ""] = start.split(":");
  const code = sources.find(file, name);
  if (code === undefined) throw new Error(`${file} has no function ${name} at its top level`);
  const steps = followValue(sources, { code, parameter, through });
  if (steps.length === 0) throw new Error(`${name} of ${file} has no parameter ${parameter}`);
  return steps;
}
