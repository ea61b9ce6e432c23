import { isText, isThinking } from "@self-context-manager/core";
import type { LayoutOutput } from "@self-context-manager/core/layout";

import type { CharRange, Visibility } from "../measure/call-view.ts";

/** What the answers in a prompt say and think, and what its folds repeat. */
export interface ShownTexts {
  /** What is shown of a text that an answer said or thought, or of the arguments of a call that is folded. */
  of(text: string): Visibility;
}

/** Returns the texts and the thinking in the answers of a view, and the sentences that its folds repeat. */
export function shownTexts({
  messages,
  record,
}: Pick<LayoutOutput, "messages" | "record">): ShownTexts {
  const whole = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (isText(block)) whole.add(block.text);
      else if (isThinking(block)) whole.add(block.thinking);
    }
  }
  const repeated = record.entries.flatMap((entry) =>
    entry.type === "assistant" && entry.fold !== undefined ? repeatedIn(entry.fold.text) : [],
  );
  return {
    of(text) {
      if (whole.has(text)) return "whole";
      const ranges = repeated.flatMap((part): readonly CharRange[] => {
        const start = text.indexOf(part);
        return start === -1 ? [] : [{ start, end: start + part.length }];
      });
      return ranges.length === 0 ? "none" : ranges;
    },
  };
}

/** Returns the sentences of answers and the commands in the text of a fold, without the mark of a cut. */
function repeatedIn(fold: string): readonly string[] {
  const rows = fold.matchAll(/^(?:said|ran [^:]*): (.+?)(?: ?\u2026)?$/gmu);
  return [...rows].flatMap(([, text]) => text ?? []);
}
