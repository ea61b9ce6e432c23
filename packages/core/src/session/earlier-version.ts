import {
  defined,
  lineCount,
  type LineRange,
  presenceOf,
  selectVersion,
  type StoredMetadata,
  versionedName,
} from "@self-context-manager/objects";
import { rangeIn } from "../calls/execution.ts";
import { filesInResult } from "../calls/toolcall-object.ts";
import { earlierVersionHeader } from "../lines/object-lines.ts";
import { shortName } from "../render/short-name.ts";
import { noteOwnText, showableOf, visibleLines } from "../state/host-shown.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { refusal, type ToolAnswer } from "./answers.ts";
import { type ActivateRange, chosenRange } from "./chosen-range.ts";
import { versionsWithin } from "./reach.ts";
import { resolveTarget } from "./resolve-target.ts";
import { withinLimit } from "./within-limit.ts";

/** A version of a file, with the lines that a tool has read of it; without a range, all of them. */
export interface FileVersion {
  readonly entry: PoolEntry;
  readonly version: number;
  readonly range?: LineRange;
}

/** Whether the file has changed, or was deleted, since a version of it. */
export function isEarlier({ entry, version }: FileVersion): boolean {
  return version !== entry.stored.version || presenceOf(entry.stored.body) === "missing";
}

/** A version as the lines of a view write it: `f3 v1` and, in a header, `f3 src/a.ts v1`. */
const lineForm = /^(\S+?)(?: .*)? v(\d{1,9})$/u;

/**
 * Returns the version of a file that a name means: `f3@1`, `f3@2026-11-22T10:00Z`, with a transaction or the beginning of
 * a hash, or as a line of a view writes it. Undefined if the name has no version; a text that says why if there is no
 * such version.
 */
export async function namedVersion(
  scope: SessionScope,
  given: string,
): Promise<FileVersion | string | undefined> {
  const [, name, number] = lineForm.exec(given.trim()) ?? [];
  const versioned =
    name === undefined
      ? versionedName(given.trim())
      : { name, version: { version: Number(number) }, text: String(number) };
  if (versioned === undefined) return undefined;
  const target = await resolveTarget(scope, versioned.name);
  if (target.type !== "known" || !isFile(target.entry.stored)) return undefined;
  const { entry } = target;
  const { version, text } = versioned;
  if ("version" in version) return { entry, version: version.version };
  const { store } = scope.dependencies;
  const selected = await selectVersion(store, entry.id, version);
  if (selected.type === "ambiguous")
    return `${text} is the beginning of several hashes of ${entry.handle}; give more digits.`;
  const found = await store.get(entry.id, selected.selector);
  if (found !== undefined) return { entry, version: found.version };
  const [first] = await store.history(entry.id, { limit: 1 });
  const since = first === undefined ? "" : `, and its first is of ${first.at.tx_time}`;
  return `${entry.handle} has no version ${text}; its newest is version ${entry.stored.version}${since}.`;
}

/** Returns the version of a file whose text stands for the result of a tool call; undefined for any other object. */
export async function readVersion(
  { state, dependencies }: SessionScope,
  { stored }: PoolEntry,
): Promise<FileVersion | undefined> {
  const { target_range: lines } = stored.body;
  const [reference] = filesInResult(stored.body);
  const entry = reference === undefined ? undefined : state.pool.get(reference.id);
  if (reference?.ref !== "static" || entry === undefined) return undefined;
  const read = await dependencies.store.get(entry.id, { txId: reference.tx_id });
  const range = rangeIn(lines);
  return read === undefined ? undefined : { entry, version: read.version, ...defined({ range }) };
}

/** Returns the newest version of a deleted file whose text may be shown. */
export async function lastShowable(
  scope: SessionScope,
  { id }: PoolEntry,
): Promise<StoredMetadata | undefined> {
  const versions = await scope.dependencies.store.history(id);
  return versions.findLast((one) => {
    const { type } = showableOf(scope, one, undefined);
    return presenceOf(one.body) === "present" && (type === "all" || type === "lines");
  });
}

/** Returns the last version of a missing file that was there; undefined for any other object. */
export async function lastThere(
  scope: SessionScope,
  { id, stored }: PoolEntry,
): Promise<StoredMetadata | undefined> {
  if (presenceOf(stored.body) !== "missing") return undefined;
  const versions = await scope.dependencies.store.history(id);
  return versions.findLast(({ body }) => presenceOf(body) !== "missing");
}

/**
 * Returns the text of a version of a file that is not its newest one, as the output of the call that asks for it. Only
 * lines are shown that a tool of the host has shown or that the model wrote, if the session follows that rule.
 */
export async function earlierVersion(
  scope: SessionScope,
  { entry, stored }: { readonly entry: PoolEntry; readonly stored: StoredMetadata },
  lines: ActivateRange,
): Promise<ToolAnswer> {
  const { store, workspace, documents } = scope.dependencies;
  const { version } = stored;
  const fileName = shortName(workspace, stored.body);
  const name = `Version ${version} of ${entry.handle} ${fileName}`;
  if ((await versionsWithin(scope, [stored])).length === 0)
    return refusal(noVersion(entry, version));
  const text = (await store.get(entry.id, { version }))?.body.content ?? undefined;
  if (text === undefined) return refusal(`${name} has no text.`);
  const asked = chosenRange(text, lines, {
    parser: documents?.parser,
    isVisible: await visibleLines(scope, stored),
  });
  if (typeof asked === "string") return refusal(`${name}: ${asked}`);
  await noteOwnText(scope, stored);
  const found = showableOf(scope, stored, asked);
  if (found.type === "unread" || found.type === "changed")
    return refusal(`${name} was not shown in this session, so activate cannot show it.`);
  if (found.type === "other-lines") return refusal(`${name} was shown without these lines.`);
  const count = lineCount(text);
  const ranges = found.type === "lines" ? found.ranges : [asked ?? { from: 1, to: count }];
  const { shown, kept } = withinLimit(text, ranges);
  if (text === "") return { ok: true, text: `${name} is empty.`, effects: [] };
  const last = await lastThere(scope, entry);
  const isCut = kept.at(-1)?.to !== ranges.at(-1)?.to;
  const header = earlierVersionHeader.write(
    version,
    entry.handle,
    fileName,
    kept,
    count,
    last?.at.tx_time,
    isCut,
  );
  return { ok: true, text: `${header}\n${shown}`, effects: [], isOutput: true };
}

/** Says that there is no such version, or none within reach. */
export function noVersion({ handle, stored }: PoolEntry, version: number): string {
  return `${handle} has no version ${version}; its newest is version ${stored.version}.`;
}

function isFile({ body }: StoredMetadata): boolean {
  return body.type === "file" || body.type === "note";
}
