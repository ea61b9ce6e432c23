import {
  defined,
  type JsonObject,
  type LineRange,
  presenceOf,
  type StaticReference,
  staticReference,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { hasContentOf, largeFile } from "@self-context-manager/tracker";
import { knownLines, longestText, ownChange } from "../calls/own-change.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { leaveActive } from "../state/set-active.ts";
import { findFile, type IndexedFile, indexContent, indexNamed, readKnown } from "./file-index.ts";

/**
 * Records that a tool wrote a file, and returns a reference to its version. If the arguments tell how the file got its
 * text, the new version is the model's own, and an active file shows it. Otherwise another program has changed the
 * file too: a known file gets a version by others, and of an unknown file only the name is recorded. Without arguments,
 * the text counts as the tool's. The session is not stored. Rejects with `FileError`.
 */
export async function recordWrite(
  scope: SessionScope,
  path: string,
  args: JsonObject | undefined,
): Promise<StaticReference | undefined> {
  if (args !== undefined && (await isEditOfUnreadLarge(scope, path, args))) {
    await indexNamed(scope, [path]);
    return undefined;
  }
  const read = await readKnown(scope, path);
  const { file, earlier } = read;
  // A part of a secret in the arguments has no mark, so the texts are compared as the tool had them.
  const reveal = (one: string): string => scope.dependencies.mask?.reveal(one) ?? one;
  const stored = await textOf(scope, earlier);
  const before = stored === undefined ? undefined : reveal(stored);
  const text = file.text === null ? null : reveal(file.text);
  const change = args === undefined || text === null ? "whole" : ownChange(before, text, args);
  if (change === undefined) {
    if (earlier === undefined || presenceOf(earlier.body) === "unread")
      await indexNamed(scope, [path]);
    else await indexContent(scope, read, { generator: "human", isByTool: true });
    return undefined;
  }
  const indexed = await indexContent(scope, read, { generator: "agent", isByTool: true });
  // Another session stored a later content first.
  if (!hasContentOf(indexed.stored, file)) return undefined;
  const follow =
    change === "changed" && before !== undefined && text !== null && args !== undefined
      ? (lines: readonly LineRange[]) => knownLines(before, text, args, lines)
      : undefined;
  takeOver(scope, indexed, earlier, follow);
  return staticReference(indexed.stored);
}

/**
 * Whether a tool changed a part of a large file that is unread or unknown. Such a file gets no version with a content, so it
 * need not be read. A text in the arguments from which the whole file was written has at least a third of its bytes.
 */
async function isEditOfUnreadLarge(
  scope: SessionScope,
  path: string,
  args: JsonObject,
): Promise<boolean> {
  const facts = await scope.dependencies.files.stat(path);
  if (facts === undefined || facts.kind !== "file" || facts.size <= largeFile) return false;
  if (longestText(args) > facts.size / 4) return false;
  const earlier = await findFile(scope, facts.realPath);
  return earlier === undefined || presenceOf(earlier.body) === "unread";
}

async function textOf(
  { dependencies, contents }: SessionScope,
  stored: StoredMetadata | undefined,
): Promise<string | undefined> {
  if (stored === undefined || presenceOf(stored.body) !== "present") return undefined;
  const held = contents.get(stored.body.id);
  const whole =
    held?.version === stored.version ? held : await dependencies.store.get(stored.body.id);
  return whole?.body.content ?? undefined;
}

/**
 * Lets the model's own version stand for the version before. `follow` returns where lines of the version before are in
 * it; undefined if the model wrote the whole text.
 */
function takeOver(
  scope: SessionScope,
  { entry, stored }: IndexedFile,
  earlier: StoredMetadata | undefined,
  follow: ((lines: readonly LineRange[]) => readonly LineRange[]) | undefined,
): void {
  const { state, contents } = scope;
  const known = state.shown.get(entry.id);
  if (follow === undefined) state.shown.setLines(stored, undefined);
  else if (known !== undefined && known.content_hash === earlier?.hashes.content_hash)
    state.shown.setLines(stored, known.ranges === undefined ? undefined : follow(known.ranges));
  const active = state.active.get(entry.id);
  if (active === undefined) return;
  // An active file that others changed before shows an older text, which the model's change does not complete.
  const isFollowed = active.version === undefined || active.version === earlier?.version;
  if (follow !== undefined && !isFollowed) return;
  const { ranges: before, ...rest } = active;
  const ranges = before === undefined || follow === undefined ? before : follow(before);
  if (ranges?.length === 0) {
    // Nothing of the new version is to be shown. Without ranges, all of it would be.
    leaveActive(scope, entry.id);
    return;
  }
  state.active.show(entry.id, { ...rest, version: stored.version, ...defined({ ranges }) });
  contents.set(entry.id, stored);
}
