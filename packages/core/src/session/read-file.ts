import {
  FileError,
  headRange,
  type LineRange,
  presenceOf,
  rangeOf,
  staticReference,
} from "@self-context-manager/objects";
import { largeFile } from "@self-context-manager/tracker";
import { type IndexedFile, indexFile, indexNamed, recordMissing } from "../history/file-index.ts";
import { indexSteps, readReport } from "../history/read-report.ts";
import type { Execution } from "../calls/execution.ts";
import { readResult } from "../calls/read-result.ts";
import { shortName } from "../render/short-name.ts";
import { setActive } from "../state/set-active.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { noteFileUse } from "../state/note-use.ts";
import { noContentNote, refusal, type ToolAnswer } from "./answers.ts";

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
  const { entry, stored } = indexed;
  const note = noContentNote(entry.handle, entry.stored);
  const effect = { op: "read" as const, id: entry.id, file: staticReference(stored) };
  const text = stored.body.content;
  if (text === null || note !== undefined) {
    const steps = [...indexSteps(scope, indexed), "not active"].join("; ");
    return { ok: true, text: `${steps}. ${note ?? ""}`.trim(), effects: [effect] };
  }
  const range = requestedRange(text, request, scope);
  if (typeof range === "string") {
    const name = `${entry.handle} ${shortName(scope.dependencies.workspace, stored.body)}`;
    return refusal(`${name}: ${range}`);
  }
  const wasActive = scope.state.active.has(entry.id);
  const known = indexed.joined || wasActive ? "" : ` activate ${entry.handle} shows a known file.`;
  const report = `${readReport(scope, indexed, range)}${known}`;
  setActive(scope.state, entry.id, range, { version: stored.version });
  scope.state.shown.addLines(stored, range);
  scope.contents.set(entry.id, stored);
  noteFileUse(scope, entry);
  return {
    ok: true,
    text: report,
    hostText: readResult(text, range, report),
    effects: [range === undefined ? effect : { ...effect, range }],
  };
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
  for (const entry of scope.state.pool.entries.values()) {
    const { body } = entry.stored;
    if (body["path"] !== path || presenceOf(body) === "missing") continue;
    await recordMissing(scope, entry);
    return;
  }
}

/** Names of pictures. A tool shows a picture as a whole, and its content is not text, so none of it is stored. */
const picture = /\.(?:bmp|gif|jpe?g|png|webp)$/iu;

/**
 * Looks at a file that a tool of the host has read. Its content is kept until the result arrives. Of a large file, the
 * result has some lines only, and they are stored with the call. The rest is not read, so that the work follows what the
 * model has seen: only the name and the size of the file are recorded. Undefined if the file cannot be read here. A known
 * file that is gone is recorded as missing.
 */
export async function lookAtRead(
  scope: SessionScope,
  given: string,
): Promise<Pick<Execution, "read" | "fileRefs"> | undefined> {
  const { files, workspace } = scope.dependencies;
  const path = files.resolve(given, workspace);
  try {
    const facts = await files.stat(path);
    if (facts?.kind === "file" && facts.size > largeFile && !picture.test(facts.realPath))
      return await nameOnly(scope, path);
    const file = await files.read(path);
    const known = [...scope.state.pool.entries.values()].find(
      ({ stored }) => stored.body["path"] === file.realPath,
    );
    return { read: { file, version: known?.stored.version ?? 0 } };
  } catch (error) {
    if (!FileError.is(error)) throw error;
    if (FileError.is(error, "FILE_MISSING")) await noteMissing(scope, path);
    return FileError.is(error, "FILE_TOO_LARGE") ? await nameOnly(scope, path) : undefined;
  }
}

async function nameOnly(scope: SessionScope, path: string): Promise<Pick<Execution, "fileRefs">> {
  const named = await indexNamed(scope, [path]);
  return { fileRefs: named.map(({ stored }) => staticReference(stored)) };
}
