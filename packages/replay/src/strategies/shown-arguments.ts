import { isToolCall, type ViewMessage } from "@self-context-manager/core";
import type { ViewEntry } from "@self-context-manager/core/layout";
import { standInsIn } from "@self-context-manager/core/rehearsal";

import type { CharRange, Visibility } from "../measure/call-view.ts";
import { textOfArguments } from "../measure/argument-strings.ts";

/**
 * Notes what a message shows of the arguments of its calls, by the ids of the calls. `textOf` returns the strings in the
 * arguments of a call as they were recorded, joined by line feeds.
 */
export function noteArguments(
  message: ViewMessage,
  entry: ViewEntry | undefined,
  textOf: (callId: string) => string | undefined,
  shown: Map<string, Visibility>,
): void {
  if (message.role !== "assistant") return;
  const stubs = entry?.type === "assistant" ? (entry.stubs ?? []) : [];
  const byCall = new Map(stubs.map((stub) => [stub.call, stub]));
  for (const [position, block] of message.content.filter(isToolCall).entries()) {
    const stub = byCall.get(position);
    const { id } = block;
    if (stub === undefined) {
      shown.set(id, "whole");
      continue;
    }
    const isPart = stub.head !== undefined || stub.replaced !== undefined;
    const text = isPart ? textOf(id) : undefined;
    if (text !== undefined) shown.set(id, shownText(text, textOfArguments(block.arguments)));
  }
}

/** Returns the parts of a text that are in a shorter form of it, in which marks stand for the other parts. */
export function shownText(text: string, shorter: string): Visibility {
  const marks = standInsIn(shorter);
  const ranges: CharRange[] = [];
  let start = 0;
  let at = 0;
  while (at < shorter.length) {
    const places = marks.map((mark) => ({ mark, place: shorter.indexOf(mark.text, at) }));
    const [next] = places.filter(({ place }) => place !== -1).toSorted((a, b) => a.place - b.place);
    const piece = shorter.slice(at, next?.place);
    // A mark after a shown beginning has a line of its own.
    const kept = text.startsWith(piece, start) ? piece : piece.replace(/\n$/u, "");
    if (!text.startsWith(kept, start)) return "none";
    if (kept !== "") ranges.push({ start, end: start + kept.length });
    start += kept.length + (next?.mark.characters ?? 0);
    at += piece.length + (next?.mark.text.length ?? 0);
  }
  return ranges;
}
