import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import type { ViewSource } from "../../src/view/view-source.ts";
import type { AssistantEntry, ResultEntry, ShownPart } from "../../src/view/view-entry.ts";
import { readEntryRow } from "../../src/view/entry-row.ts";
import { renderEntry } from "../../src/render/render-entry.ts";
import { entrySample, fileSample } from "../samples.ts";

const image: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

/** Returns a source with one call, whose object has these fields. */
function sourceOf(fields: JsonObject = {}): ViewSource {
  const body = fileSample({ type: "toolcall", status: "ok", is_error: false, ...fields });
  const { id, stored } = entrySample("t1", body);
  const versions = new Map([["t1@1", { id, handle: "t1", stored: { ...stored, body } }]]);
  return {
    turns: [
      {
        user: "go",
        timestamp: 1,
        steps: [
          {
            assistant: [{ type: "toolCall", id: "call_1", name: "bash", arguments: {} }],
            toolcall_ids: [id],
            assistant_meta: { timestamp: 7 },
          },
        ],
      },
    ],
    chatHandle: "c1",
    workspace: "/work",
    object: (handle, version) => versions.get(`${handle}@${version}`),
  };
}

function entryOf(fields: Partial<ResultEntry>): ResultEntry {
  const place = { turn: 0, step: 0, call: 0, of: "t1", version: 1 };
  return { type: "result", form: "bare", tokens: 1, ...place, ...fields };
}

/** Returns the content of a result whose object has these fields. */
function contentOf(entry: ResultEntry, fields: JsonObject): unknown {
  const message = renderEntry(entry, sourceOf(fields));
  return "content" in message ? message.content : undefined;
}

const shown = (part: Partial<ShownPart>): ResultEntry =>
  entryOf({ form: "shown", shows: [{ of: "t1", version: 1, form: "whole", ...part }] });

const bare = entryOf({});
const failed = { content: null, status: "fail" };
const report = { report: "done" };
const others = "characters not shown; activate t1 shows all, or lines from and to";

describe("an answer", () => {
  const thinking: Block = { type: "thinking", thinking: "so", thinkingSignature: "sig" };
  const said: Block = { type: "text", text: "Well." };

  /** Returns the content of an answer that has these blocks. */
  function answerOf(blocks: readonly Block[], fields: Partial<AssistantEntry> = {}): unknown {
    const step = { assistant: blocks, toolcall_ids: [], assistant_meta: {} };
    const turns = [{ user: "go", timestamp: 1, steps: [step] }];
    const entry = { type: "assistant", turn: 0, step: 0, tokens: 1, ...fields } as const;
    const message = renderEntry(entry, { ...sourceOf(), turns });
    return "content" in message ? message.content : undefined;
  }

  test("is shown with its signed thinking, unless the entry leaves it out", () => {
    expect(answerOf([thinking, said])).toEqual([thinking, said]);
    expect(answerOf([thinking, said], { thinking: "left-out" })).toEqual([said]);
  });

  test("is shown without any thinking if the entry says so", () => {
    const plain: Block = { type: "thinking", thinking: "so" };
    const redacted: Block = { type: "redacted_thinking", data: "xyz" };

    expect(answerOf([plain, redacted, thinking, said], { thinking: "all-left-out" })).toEqual([
      said,
    ]);
  });

  // Rows of views that are stored already. Their messages never change.
  test.each<readonly [string, string]>([
    ["a0.0 9", '{"a":"X240","oldText":"O240","short":"x"},{"b":"X239"}'],
    [
      "a0.0 0=f2@4,1 9",
      '{"a":"[240 characters, now in f2 v4]","oldText":"[240 characters, now in f2 v4]","short":"x"},{"b":"X239"}',
    ],
    [
      "a0.0 0=f2@4/3 9",
      '{"a":"[240 characters, now in f2 v4]","oldText":"[240 characters, now in f2 v3]","short":"x"},{"b":"X239"}',
    ],
    [
      "a0.0 0=f2@4/0 9",
      '{"a":"[240 characters, now in f2 v4]","oldText":"[240 characters left out]","short":"x"},{"b":"X239"}',
    ],
    [
      "a0.0 -thinking 0 9",
      '{"a":"[240 characters left out]","oldText":"[240 characters left out]","short":"x"},{"b":"X239"}',
    ],
    [
      "a0.0 0-120=f2@3,1-120 9",
      '{"a":"X240","oldText":"[240 characters, now in f2 v3]","short":"x"},{"b":"X239"}',
    ],
  ])("of the row %j has the same bytes as ever", (row, expected) => {
    const [X, O] = ["x", "o"].map((letter) => letter.repeat(240));
    const texts = { a: X ?? "", oldText: O ?? "", short: "x" };
    const blocks = [texts, { b: X?.slice(1) ?? "" }].map((args, n): Block => ({
      type: "toolCall",
      id: `call_${n}`,
      name: "edit",
      arguments: args,
    }));
    const { type: _type, tokens: _tokens, ...fields } = readEntryRow(row) as AssistantEntry;

    const shown = answerOf(blocks, fields) as readonly Block[];
    const made = shown.map((block) => JSON.stringify(block["arguments"])).join(",");
    expect(made.replaceAll(X ?? "", "X240").replaceAll(O ?? "", "O240")).toBe(
      expected.replaceAll("X239", X?.slice(1) ?? ""),
    );
  });

  test("keeps an empty text only if the provider has signed it", () => {
    const signed = { type: "text", text: "", textSignature: "sig" };

    expect(answerOf([signed, { type: "text", text: "" }, said])).toEqual([signed, said]);
  });
});

describe("a result", () => {
  test.each([true, false])("is an error if its tool failed: %j", (failed) => {
    const message = renderEntry(entryOf({}), sourceOf({ is_error: failed }));

    expect(message).toMatchObject({ role: "toolResult", toolCallId: "call_1", isError: failed });
  });

  test("that has not arrived is an error with the time of its call", () => {
    const { of: _of, version: _version, ...entry } = entryOf({});

    const message = renderEntry(entry, sourceOf());

    expect(message).toMatchObject({ role: "toolResult", isError: true, timestamp: 7 });
  });

  test.each<readonly [string, ResultEntry, JsonObject, string]>([
    ["without text, that there was no output", bare, { content: " \n" }, "[t1 ok, no output]"],
    ["of a failed call without content", bare, failed, "[t1 failed, no output]"],
    ["of a context tool, its report", bare, { ...report, context_tool: true }, "done"],
    ["of another tool, its text unchanged", bare, report, "hello\n"],
    [
      "in part, how many characters are not shown",
      shown({ form: "part", head: 3, tail: 2 }),
      { content: "0123456789" },
      `t1 ok\n~~~\n012\n[5 ${others}]\n89\n~~~`,
    ],
    [
      "in part without an end, only its beginning",
      shown({ form: "part", head: 4, tail: 0 }),
      { content: "one\ntwo\n" },
      `t1 ok\n~~~\none\n[4 ${others}]\n~~~`,
    ],
  ])("shows %s", (_, entry, fields, text) => {
    expect(contentOf(entry, fields)).toEqual([{ type: "text", text }]);
  });

  test("shows its blocks if it has any", () => {
    expect(contentOf(bare, { blocks: [image] })).toEqual([image]);
  });

  test("whose object is not in the store cannot be rendered", () => {
    expect(() => renderEntry(entryOf({ version: 2 }), sourceOf())).toThrow(
      "t1 version 2, which the view shows, cannot be read from the store",
    );
  });

  test("whose content was not loaded cannot be rendered", () => {
    const source = sourceOf();
    const found = source.object("t1", 1);
    const { content: _, ...metadata } = found?.stored.body ?? fileSample();
    const lacking: ViewSource = {
      ...source,
      object: () =>
        found === undefined
          ? undefined
          : { ...found, stored: { ...found.stored, body: metadata } as never },
    };

    expect(() => renderEntry(entryOf({}), lacking)).toThrow(
      "the content of t1 version 1 is not loaded",
    );
  });

  test("of a call that the chat does not have cannot be rendered", () => {
    expect(() => renderEntry(entryOf({ step: 4 }), sourceOf())).toThrow(
      "the chat has no such message as turn 1, step 5",
    );
    expect(() => renderEntry(entryOf({ call: 1 }), sourceOf())).toThrow(
      "the chat has no such message as turn 1, step 1",
    );
  });
});
