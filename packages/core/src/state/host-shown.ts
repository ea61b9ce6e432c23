import {
  type LineRange,
  presenceOf,
  sharedLines,
  type StoredMetadata,
} from "@self-context-manager/objects";
import type { PoolEntry } from "../view/pool-entry.ts";
import type { SessionScope } from "./session-scope.ts";
import { isAgentsOwn } from "./own-text.ts";
import { type ActivationOptions, setActive } from "./set-active.ts";
import type { ShownText } from "./shown-texts.ts";

/**
 * The lines of an object that a session may show without a tool of the host: all that were asked for, these lines of
 * them, or none, because the file was never read, has changed since, or was read elsewhere.
 */
export type Showable =
  | { readonly type: "all" }
  | { readonly type: "lines"; readonly ranges: readonly LineRange[] }
  | { readonly type: "unread" | "changed" | "other-lines" };

/**
 * Returns what may be shown of an object's newest version without a tool of the host. If other extensions can hide a
 * part of a file from the model, only the text that the model got before may be shown.
 */
function showable(
  { state, dependencies }: SessionScope,
  stored: StoredMetadata,
  asked: LineRange | undefined,
): Showable {
  const { body, hashes } = stored;
  if (dependencies.activateUnread !== "ask" || !isFile(stored)) return { type: "all" };
  const shown = state.shown.get(body.id);
  if (shown === undefined) return { type: "unread" };
  if (shown.content_hash !== hashes.content_hash || presenceOf(body) !== "present")
    return { type: "changed" };
  return linesOfShown(shown, asked);
}

/** Returns what may be shown of any version of a file without a tool of the host. */
export function showableOf(
  { state, dependencies }: SessionScope,
  { body, hashes }: StoredMetadata,
  asked: LineRange | undefined,
): Showable {
  if (dependencies.activateUnread !== "ask") return { type: "all" };
  const { earlier = [], ...last } = state.shown.get(body.id) ?? { content_hash: "" };
  const shown = [last, ...earlier].find(({ content_hash: hash }) => hash === hashes.content_hash);
  return shown === undefined ? { type: "unread" } : linesOfShown(shown, asked);
}

/**
 * Notes that a file's version is the agent's own text, written in other sessions of the store, so that this session may
 * show it. Nothing is noted for a version of which this session knows lines itself.
 */
export async function noteOwnText(
  { state, dependencies }: SessionScope,
  stored: StoredMetadata,
): Promise<void> {
  if (dependencies.activateUnread !== "ask" || !isFile(stored)) return;
  const { earlier = [], ...last } = state.shown.get(stored.body.id) ?? { content_hash: "" };
  const isKnown = [last, ...earlier].some((one) => one.content_hash === stored.hashes.content_hash);
  if (!isKnown && (await isAgentsOwn(dependencies.store, stored)))
    state.shown.addLines(stored, undefined);
}

/** The answer of `visibleLines` for a version of which the model may see all. */
export const everyLine = (): boolean => true;

/** Returns whether the model may see a line of a version without a tool of the host. */
export async function visibleLines(
  scope: SessionScope,
  stored: StoredMetadata,
): Promise<(line: number) => boolean> {
  const { activateUnread, store } = scope.dependencies;
  if (activateUnread !== "ask" || !isFile(stored)) return everyLine;
  const found = showableOf(scope, stored, undefined);
  if (found.type === "all" || (await isAgentsOwn(store, stored))) return everyLine;
  if (found.type !== "lines") return () => false;
  const { ranges } = found;
  return (line) => ranges.some(({ from, to }) => from <= line && line <= to);
}

function linesOfShown({ ranges }: ShownText, asked: LineRange | undefined): Showable {
  if (ranges === undefined) return { type: "all" };
  const within = asked === undefined ? ranges : sharedLines(ranges, asked);
  return within.length === 0 ? { type: "other-lines" } : { type: "lines", ranges: within };
}

/** Activates what may be shown of an object's newest version, and returns what that is. */
export function activateShowable(
  scope: SessionScope,
  { id, stored }: PoolEntry,
  asked: LineRange | undefined,
  options: ActivationOptions = {},
): Showable {
  const found = showable(scope, stored, asked);
  const version = isFile(stored) ? { version: stored.version } : {};
  if (found.type === "all") setActive(scope.state, id, asked, { ...options, ...version });
  if (found.type === "lines")
    for (const [index, range] of found.ranges.entries()) {
      const isFirst = index === 0 && options.replaces === true;
      setActive(scope.state, id, range, { ...options, ...version, replaces: isFirst });
    }
  return found;
}

function isFile({ body }: StoredMetadata): boolean {
  return body.type === "file" || body.type === "note";
}
