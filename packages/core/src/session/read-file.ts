import {
  FileError,
  headRange,
  lineCount,
  type LineRange,
  presenceOf,
  rangeOf,
  staticReference,
} from "@self-context-manager/objects";
import { rangesText } from "../render/content-block.ts";
import { shortName } from "../render/short-name.ts";
import { setActive } from "../state/active-set.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { noteFileUse } from "../state/use-order.ts";
import { noContentNote, refusal, type ToolAnswer } from "./answers.ts";
import { type IndexedFile, indexFile, recordMissing } from "./file-index.ts";

/** A request to read a file, in the form of the harness's own tool. */
export interface ReadRequest {
  readonly path: string;
  /** The first line, counted from 1. Default: 1. */
  readonly offset?: number;
  /**
   * The greatest number of lines. Default: to the end of the file. Without `offset` and `limit`, the beginning of the
   * file is shown, within the read limits.
   */
  readonly limit?: number;
}

/**
 * Reads a file: stores its version, adds it to the metadata pool and activates it. The answer reports each of these
 * three steps (decision D40). The session is not stored.
 */
export async function readFile(scope: SessionScope, request: ReadRequest): Promise<ToolAnswer> {
  const { files, workspace } = scope.dependencies;
  const path = files.resolve(request.path, workspace);
  try {
    const indexed = await indexFile(scope, path, "human");
    return activateRead(scope, indexed, request);
  } catch (error) {
    if (!FileError.is(error)) throw error;
    if (FileError.is(error, "FILE_MISSING")) await noteMissing(scope, path);
    return refusal(`${error.message} Not indexed.`);
  }
}

function activateRead(scope: SessionScope, indexed: IndexedFile, request: ReadRequest): ToolAnswer {
  const { entry, stored, step } = indexed;
  const name = `${entry.handle} ${shortName(scope.dependencies.workspace, stored.body)}`;
  const steps = [
    `${name}: ${indexStep(step, stored.version)}`,
    indexed.joined ? "joined the pool" : "already in the pool",
  ];
  const note = noContentNote(entry.handle, entry.stored);
  const reference = staticReference(stored);
  if (stored.body.content === null || note !== undefined) {
    const text = `${[...steps, "not active"].join("; ")}. ${note ?? ""}`.trim();
    return { ok: true, text, effects: [{ op: "read", id: entry.id, file: reference }] };
  }
  const text = stored.body.content;
  const range = requestedRange(text, request, scope);
  if (typeof range === "string") return refusal(`${name}: ${range}`);
  const outcome = setActive(scope.state, entry.id, range);
  scope.contents.set(entry.id, stored);
  noteFileUse(scope, entry);
  const shown = scope.state.active.get(entry.id)?.ranges;
  steps.push(activeStep(outcome, step, shown, lineCount(text)));
  const hint =
    step === "unchanged" && outcome === "already"
      ? ` It is already in the context; do not read it again.`
      : "";
  return {
    ok: true,
    text: `${steps.join("; ")}.${hint}`,
    effects: [
      { op: "read", id: entry.id, file: reference, ...(range === undefined ? {} : { range }) },
    ],
  };
}

function indexStep(step: IndexedFile["step"], version: number): string {
  if (step === "new") return `indexed, version ${version}`;
  return step === "changed"
    ? `changed, now version ${version}`
    : `unchanged since version ${version}`;
}

function activeStep(
  outcome: "now" | "already",
  step: IndexedFile["step"],
  ranges: readonly LineRange[] | undefined,
  lines: number,
): string {
  const shown = ranges === undefined ? `${lines} lines` : rangesText(ranges, lines);
  if (outcome === "now") return `active, ${shown}`;
  return step === "unchanged" ? `already active, ${shown}` : `active, refreshed, ${shown}`;
}

function requestedRange(
  text: string,
  request: ReadRequest,
  scope: SessionScope,
): LineRange | undefined | string {
  if (request.offset === undefined && request.limit === undefined) {
    return headRange(text, scope.dependencies.readLimits);
  }
  const from = Math.max(1, request.offset ?? 1);
  try {
    return rangeOf(text, from, request.limit === undefined ? undefined : from + request.limit - 1);
  } catch (error) {
    if (error instanceof RangeError) return `${error.message}.`;
    throw error;
  }
}

async function noteMissing(scope: SessionScope, path: string): Promise<void> {
  for (const entry of scope.state.pool.values()) {
    const { body } = entry.stored;
    if (body["path"] !== path || presenceOf(body) === "missing") continue;
    await recordMissing(scope, entry);
    return;
  }
}
