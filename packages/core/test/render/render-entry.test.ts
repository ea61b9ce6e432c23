import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import type { ViewSource } from "../../src/view/view-source.ts";
import type { ResultEntry, ShownPart } from "../../src/view/view-entry.ts";
import { renderEntry } from "../../src/render/render-entry.ts";
import { entrySample, fileSample } from "../samples.ts";

const image: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

/** Returns a source with one call, whose object has these fields. */
function sourceOf(fields: JsonObject = {}): ViewSource {
  const { id, stored } = entrySample(
    "t1",
    fileSample({ type: "toolcall", status: "ok", is_error: false, ...fields }),
  );
  const body = fileSample({ type: "toolcall", status: "ok", is_error: false, ...fields });
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

function contentOf(entry: ResultEntry, source: ViewSource): unknown {
  const message = renderEntry(entry, source);
  return "content" in message ? message.content : undefined;
}

const shown = (part: Partial<ShownPart>): ResultEntry =>
  entryOf({ form: "shown", shows: [{ of: "t1", version: 1, form: "whole", ...part }] });

describe("a result", () => {
  test.each([true, false])("is an error if its tool failed: %j", (failed) => {
    const message = renderEntry(entryOf({}), sourceOf({ is_error: failed }));

    expect(message).toMatchObject({ role: "toolResult", toolCallId: "call_1", isError: failed });
  });

  test("that has not arrived is an error with the time of its call", () => {
    const entry: ResultEntry = {
      type: "result",
      form: "bare",
      tokens: 1,
      turn: 0,
      step: 0,
      call: 0,
    };

    const message = renderEntry(entry, sourceOf());

    expect(message).toMatchObject({ role: "toolResult", isError: true, timestamp: 7 });
  });

  test("without text shows that there was no output", () => {
    expect(contentOf(entryOf({}), sourceOf({ content: " \n" }))).toEqual([
      { type: "text", text: "[t1 ok, no output]" },
    ]);
    expect(contentOf(entryOf({}), sourceOf({ content: null, status: "fail" }))).toEqual([
      { type: "text", text: "[t1 failed, no output]" },
    ]);
  });

  test("shows its text unchanged", () => {
    expect(contentOf(entryOf({}), sourceOf({ content: "hello\n" }))).toEqual([
      { type: "text", text: "hello\n" },
    ]);
  });

  test("shows its blocks if it has any", () => {
    expect(contentOf(entryOf({}), sourceOf({ blocks: [image] }))).toEqual([image]);
  });

  test("shows the report of a context tool and the text of another tool", () => {
    const summary = { short_summary: "done" };

    expect(contentOf(entryOf({}), sourceOf({ ...summary, context_tool: true }))).toEqual([
      { type: "text", text: "done" },
    ]);
    expect(contentOf(entryOf({}), sourceOf(summary))).toEqual([{ type: "text", text: "hello\n" }]);
  });

  test("in part states how many characters are not shown", () => {
    const source = sourceOf({ content: "0123456789" });

    expect(contentOf(shown({ form: "part", head: 3, tail: 2 }), source)).toEqual([
      {
        type: "text",
        text: "t1 ok\n~~~\n012\n[5 characters not shown; activate t1 shows all, or lines from and to]\n89\n~~~",
      },
    ]);
  });

  test("in part without an end shows only its beginning", () => {
    const source = sourceOf({ content: "one\ntwo\n" });

    expect(contentOf(shown({ form: "part", head: 4, tail: 0 }), source)).toEqual([
      {
        type: "text",
        text: "t1 ok\n~~~\none\n[4 characters not shown; activate t1 shows all, or lines from and to]\n~~~",
      },
    ]);
  });

  test("that replaces a file's text above names the version", () => {
    const entry = entryOf({ replaces: { of: "f1", version: 2, above: 1 } });

    expect(contentOf(entry, sourceOf())).toEqual([
      { type: "text", text: "hello\n" },
      { type: "text", text: "[f1 v2 replaces v1 above]" },
    ]);
  });

  test("whose object is not in the store cannot be rendered", () => {
    expect(() => renderEntry(entryOf({ version: 2 }), sourceOf())).toThrow(
      "t1 version 2, which the view shows, is not in the store",
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
