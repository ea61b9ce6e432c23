import { objectId } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { compareViews } from "../../src/inspect/compare-views.ts";
import type { RebuiltView } from "../../src/inspect/rebuilt-view.ts";
import type { ViewMessage } from "../../src/view/layout.ts";

type Facts = Partial<Pick<RebuiltView, "entries" | "systemPrompts">>;

/** Returns a rebuilt view with user messages of these texts. */
function viewOf(texts: readonly string[], facts: Facts = {}): RebuiltView {
  const messages = texts.map((content): ViewMessage => ({ role: "user", content }));
  return {
    call: 1,
    at: { tx_id: 1, tx_time: "2026-01-01T00:00:00.000Z" },
    layout: "epoch",
    tokens: 0,
    systemPrompts: [],
    messages,
    entries: [],
    ids: new Map(),
    record: { layout: "epoch", entries: [], turns: 0, steps: 0, workspace: "", memory: {} },
    isVerified: true,
    problems: [],
    ...facts,
  };
}

/** Returns the bytes that the messages of a view have in a request. */
function bytesOf({ messages }: RebuiltView): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(messages));
}

describe("two views", () => {
  it.each([
    ["same", ["one", "two"], ["one", "two"], 2],
    ["appended", ["one"], ["one", "two"], 1],
    ["shortened", ["one", "two"], ["one"], 1],
    ["changed", ["one", "two"], ["one", "other"], 1],
  ] as const)("are compared: %s", (type, before, after, sharedMessages) => {
    expect(compareViews(viewOf(before), viewOf(after))).toMatchObject({ type, sharedMessages });
  });

  it("differ at a byte that is counted from the beginning of the request", () => {
    const before = viewOf(["first", "zweite Größe", "third: 😀 and more"]);
    const after = viewOf(["first", "zweite Größe", "third: 😀 or less"]);

    const { first } = compareViews(before, after);

    const [one, other] = [bytesOf(before), bytesOf(after)];
    expect(first?.message).toBe(2);
    expect(first?.offset).toBe(one.findIndex((byte, index) => byte !== other[index]));
    expect(first?.before).toContain("and more");
    expect(first?.after).toContain("or less");
  });

  it("differ in versions, in objects, and in system prompts", () => {
    const shows = (...names: readonly (readonly [string, number])[]): RebuiltView["entries"] => [
      {
        what: "object",
        place: "",
        how: "whole",
        versions: names.map(([handle, version]) => ({ handle, version })),
      },
    ];
    const prompt = (version: number): RebuiltView["systemPrompts"] => [
      { origin: "host", id: objectId("s1"), version, text: "" },
    ];
    const before = viewOf(["one"], {
      entries: shows(["f1", 1], ["f2", 1]),
      systemPrompts: prompt(1),
    });
    const after = viewOf(["one"], {
      entries: shows(["f1", 2], ["t1", 1]),
      systemPrompts: prompt(2),
    });

    expect(compareViews(before, after)).toMatchObject({
      versions: [{ handle: "f1", from: 1, to: 2 }],
      gone: ["f2"],
      added: ["t1"],
      systemPrompts: ["host"],
    });
  });
});
