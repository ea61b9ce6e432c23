import {
  type ActiveObject,
  isImage,
  isText,
  isToolCall,
  type Layout,
  type LayoutInput,
  messageTokens,
  type ViewMessage,
} from "@self-context-manager/core";
import assert from "node:assert/strict";
import * as fc from "fast-check";

import { layoutInput } from "./arbitrary-input.ts";
import { sequenceFaults } from "./sequence-faults.ts";

/** The key of a law: its name in the doc comment of `Layout`, and that of its test. */
export type LayoutLaw =
  | "output-is-legal"
  | "newest-user-message-is-there"
  | "active-is-shown"
  | "budget-holds"
  | "nothing-volatile";

/** How many inputs a law is tried on. */
export interface LayoutTrial {
  readonly numRuns: number;
  readonly seed?: number;
}

/** Every law, as a check of a layout over random pools; throws where the layout breaks it. */
export const layoutLaws: Readonly<Record<LayoutLaw, (layout: Layout, trial: LayoutTrial) => void>> =
  {
    "output-is-legal": (layout, trial) => {
      every(trial, (input) => {
        const { messages } = layout.render(input);
        assert.deepEqual(sequenceFaults(messages), []);
        assert.deepEqual(thinkingOf(messages), thinkingOf(messages, input));
      });
    },
    "newest-user-message-is-there": (layout, trial) => {
      every(trial, (input) => {
        const newest = newestUserText(input);
        if (newest === undefined) return;
        const texts = textsOf(layout.render(input).messages);
        const isWhole = texts.includes(newest);
        const isPart = texts.some(
          (text) => text.startsWith(`${newest}\n`) || isPartOf(text, newest),
        );
        const fits = input.budget === undefined || tokensOf(newest, input) <= input.budget;
        assert.ok(fits ? isWhole : isWhole || isPart, `the newest user message is missing`);
      });
    },
    "active-is-shown": (layout, trial) => {
      every(trial, (input) => {
        const { messages, shown } = layout.render(input);
        const wanted = input.active.map(({ entry }) => entry.id);
        assert.deepEqual(
          shown.map(({ id }) => id),
          wanted,
        );
        if (input.budget === undefined) assert.ok(shown.every(({ as }) => as === "whole"));
        const blocks = contentBlocks(messages, input);
        for (const object of input.active) {
          const as = shown.find(({ id }) => id === object.entry.id)?.as;
          const own = blocks.filter((text) => text.startsWith(`${object.entry.handle} `));
          assert.equal(own.length, as === "left-out" ? Math.min(own.length, 1) : 1);
          if (as === "whole") assertHolds(own[0] ?? "", object);
        }
        const handles = new Set(input.active.map(({ entry }) => entry.handle));
        for (const block of blocks) assert.ok(handles.has(block.split(" ")[0] ?? ""), block);
        const images = imagesOf(messages) - imagesOfUsers(input);
        const most = input.active.reduce((sum, object) => sum + imagesIn(object), 0);
        assert.ok(input.budget === undefined ? images === most : images <= most);
      });
    },
    "budget-holds": (layout, trial) => {
      every(trial, (input) => {
        const output = layout.render(input);
        const { metadata, chat, active } = output.tokens;
        const told = metadata + chat + active;
        const estimated = output.messages.reduce(
          (sum, message) => sum + messageTokens(message, input.estimator),
          0,
        );
        assert.ok(estimated <= told, `${estimated} tokens, told as ${told}`);
        if (input.budget !== undefined)
          assert.ok(told <= input.budget, `${told} tokens for a budget of ${input.budget}`);
      });
    },
    "nothing-volatile": (layout, trial) => {
      every(trial, (input) => {
        const first = layout.render(input);
        const again = layout.render({ ...input }, first.record);
        const fresh = layout.render(structuredInput(input));
        assert.equal(JSON.stringify(again.messages), JSON.stringify(first.messages));
        assert.equal(JSON.stringify(fresh.messages), JSON.stringify(first.messages));
      });
    },
  };

function every({ numRuns, seed }: LayoutTrial, check: (input: LayoutInput) => void): void {
  fc.assert(fc.property(layoutInput, check), { numRuns, ...(seed === undefined ? {} : { seed }) });
}

/** The same input in other objects, so that nothing kept beside the first is found. */
function structuredInput(input: LayoutInput): LayoutInput {
  const entries = new Map([...input.pool].map(([id, entry]) => [id, structuredClone(entry)]));
  return {
    ...input,
    turns: structuredClone(input.turns),
    pool: entries,
    active: input.active.map((object) => ({
      ...object,
      entry: entries.get(object.entry.id) ?? object.entry,
      stored: structuredClone(object.stored),
    })),
  };
}

/** The signed thinking that is shown; of an input, that of the messages that are shown. */
function thinkingOf(messages: readonly ViewMessage[], input?: LayoutInput): readonly unknown[] {
  const shown = messages.flatMap((message) =>
    message.role === "assistant" ? [message.content] : [],
  );
  if (input === undefined) return shown.map((content) => content.filter(isThinking));
  const steps = input.turns.flatMap(({ steps }) =>
    steps.flatMap((step) => ("assistant" in step ? [step.assistant] : [])),
  );
  return shown.map((content) => {
    const calls = JSON.stringify(content.filter(isToolCall));
    const texts = JSON.stringify(content.filter(isText));
    const step = steps.find(
      (blocks) =>
        JSON.stringify(blocks.filter(isToolCall)) === calls &&
        JSON.stringify(blocks.filter(isText).filter(({ text }) => text.trim() !== "")) === texts &&
        JSON.stringify(blocks.filter(isThinking)) === JSON.stringify(content.filter(isThinking)),
    );
    return step?.filter(isThinking);
  });
}

function isThinking(block: { readonly type: string }): boolean {
  return block.type === "thinking";
}

/** The text of the newest message of the user that says anything; undefined where that is an image alone. */
function newestUserText({ turns }: LayoutInput): string | undefined {
  const said = turns.map(({ user }) => {
    if (typeof user === "string" || user === null) return { text: user ?? "", hasImage: false };
    const text = user.map((block) => (isText(block) ? block.text : "")).join("");
    return { text, hasImage: user.some(isImage) };
  });
  const newest = said.findLast(({ text, hasImage }) => hasImage || text.trim() !== "");
  return newest === undefined || newest.text.trim() === "" ? undefined : newest.text;
}

function textsOf(messages: readonly ViewMessage[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role !== "user") return [];
    if (typeof message.content === "string") return [message.content];
    return message.content.map((block) => (isText(block) ? block.text : ""));
  });
}

/** Whether a text is a head of another, with a note of what is left out. */
function isPartOf(text: string, whole: string): boolean {
  const note = text.indexOf("[");
  return / not shown;/u.test(text) && whole.startsWith(text.slice(0, note).trimEnd());
}

function tokensOf(text: string, { estimator }: LayoutInput): number {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  // An image may stand beside the text.
  return messageTokens(message, estimator) + estimator.image;
}

const header = /^[a-z]\d+ [^\n]*\n~{3,}\n/u;

/** The blocks of objects: texts that begin with a handle's line and a fence, or are that line alone. */
function contentBlocks(messages: readonly ViewMessage[], { pool }: LayoutInput): readonly string[] {
  const handles = new Set([...pool.values()].map(({ handle }) => handle));
  return messages.flatMap((message) => {
    if (message.role === "opaque" || message.role === "assistant") return [];
    if (typeof message.content === "string") return [];
    return message.content.flatMap((block) => {
      if (!isText(block)) return [];
      const isBlock = header.test(block.text) || /^[a-z]\d+ [^\n]*$/u.test(block.text);
      return isBlock && handles.has(block.text.split(" ")[0] ?? "") ? [block.text] : [];
    });
  });
}

function assertHolds(block: string, { stored, range }: ActiveObject): void {
  const { content } = stored.body;
  if (content === null || range !== undefined) return;
  const fence = /\n(~{3,})\n/u.exec(block)?.[1] ?? "";
  const inside = block.slice(block.indexOf(`\n${fence}\n`) + fence.length + 2, -fence.length);
  assert.equal(inside, content === "" || content.endsWith("\n") ? content : `${content}\n`);
}

function imagesOf(messages: readonly ViewMessage[]): number {
  return messages.reduce((sum, message) => {
    const hasBlocks = message.role !== "opaque" && typeof message.content !== "string";
    return hasBlocks ? sum + message.content.filter(isImage).length : sum;
  }, 0);
}

function imagesOfUsers({ turns }: LayoutInput): number {
  return turns.reduce(
    (sum, { user }) =>
      user === null || typeof user === "string" ? sum : sum + user.filter(isImage).length,
    0,
  );
}

function imagesIn({ stored }: ActiveObject): number {
  const blocks = stored.body["blocks"];
  return Array.isArray(blocks) ? blocks.length : 0;
}
