import type { ScriptedMessage } from "@self-context-manager/testkit";

import { tokensIn } from "./foreign-text.ts";
import { foreignRendering, type ToolReports } from "./foreign-tools.ts";
import { numbers, type ShowableText } from "./shown-text.ts";
import type { WatchedFolder } from "./watched-folder.ts";

/** Everything that the model may see, as far as the host's lists and the model's own calls tell. */
export interface SeenTexts {
  /** The tokens of all texts that the model may see. */
  readonly tokens: ReadonlySet<string>;
  readonly reports: ToolReports;
  /** Takes in the list of a request, without the messages that are left out of it. */
  takeList(list: readonly ScriptedMessage[]): void;
  /** Takes in an answer of the model. */
  takeText(text: string): void;
  /** The texts that the result of a call had in a request. */
  resultsOf(callId: string): readonly string[];
  /** The texts of a file that its reads have shown and that the model has written. */
  fileTexts(path: string): readonly ShowableText[];
}

export function seenTexts(disk: WatchedFolder): SeenTexts {
  const absolute = (path: string): string => disk.folder.resolve(path, disk.folder.path);
  const tokens = new Set<string>();
  const results = new Map<string, Set<string>>();
  const files = new Map<string, Map<string, Set<number> | "all">>();
  const reads = new Map<string, { readonly path: string; readonly from: number }>();

  function takeText(text: string): void {
    for (const token of tokensIn(text)) tokens.add(token);
  }

  function admit(path: string, text: string, lines: readonly number[] | "all"): void {
    const texts = textsOf(path);
    const known = texts.get(text);
    if (known === "all") return;
    texts.set(text, lines === "all" ? "all" : new Set([...(known ?? []), ...lines]));
  }

  function textsOf(path: string): Map<string, Set<number> | "all"> {
    const known = files.get(path) ?? new Map<string, Set<number> | "all">();
    files.set(path, known);
    return known;
  }

  /** Of each text that the file ever had, the lines that the result shows may be shown. */
  function admitRead(callId: string, result: string): void {
    const read = reads.get(callId);
    if (read === undefined) return;
    const { path, from } = read;
    for (const text of disk.everOnDisk.get(path) ?? []) {
      const lines = shownLines(result, text, from);
      if (lines !== undefined) admit(path, text, lines);
    }
  }

  return {
    tokens,
    takeText,
    takeList(list) {
      for (const message of list) {
        takeText(JSON.stringify(message));
        if (message.kind !== "output") continue;
        const known = results.get(message.callId) ?? new Set();
        results.set(message.callId, known.add(message.text));
        if (!message.failed) admitRead(message.callId, message.text);
      }
    },
    resultsOf: (callId) => [...(results.get(callId) ?? [])],
    fileTexts: (path) => [...(files.get(path) ?? [])].map(([text, lines]) => ({ text, lines })),
    reports: {
      hasRead: (callId, path, from) => void reads.set(callId, { path: absolute(path), from }),
      hasWritten: (path, text) => admit(absolute(path), text, "all"),
      hasEdited(given, before, after, line) {
        const path = absolute(given);
        const known = files.get(path)?.get(before);
        if (known === "all") return admit(path, after, "all");
        const removed = before.split("\n").length - after.split("\n").length;
        const isOwn = removed === 0 || before.split("\n")[line] === "" || known?.has(line + 1);
        const others = [...(known ?? [])].filter((one) => one !== line && one !== line + removed);
        admit(path, after, [
          ...(isOwn === true ? [line] : []),
          ...others.map((one) => (one > line ? one - removed : one)),
        ]);
      },
    },
  };
}

/** Returns the lines of a file that a result shows in the host's rendering; undefined if it is another text. */
function shownLines(
  result: string,
  text: string,
  from: number,
): readonly number[] | "all" | undefined {
  const shown = result.replace(foreignRendering.notice ?? /$^/u, "");
  const rows = text.split("\n");
  const shownRows = shown.split("\n");
  if (shown.endsWith("\n")) shownRows.pop();
  if (!shownRows.every((row, index) => rows[from - 1 + index] === row)) return undefined;
  const to = from - 1 + shownRows.length;
  const last = text.endsWith("\n") ? rows.length - 1 : rows.length;
  return from === 1 && to >= last ? "all" : numbers(from, to);
}
