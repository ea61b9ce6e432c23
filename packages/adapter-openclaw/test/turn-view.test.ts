import { readList } from "@self-context-manager/core";
import { describe, expect, it } from "vitest";

import {
  openClawCodec,
  openClawMessage,
  type OpenClawMessage,
  ownKind,
} from "../src/openclaw-messages.ts";
import { type TurnView, turnView } from "../src/turn-view.ts";

const text = (value: string): { readonly type: "text"; readonly text: string } => ({
  type: "text",
  text: value,
});

function prompt(content: string, timestamp: number): OpenClawMessage {
  return { role: "user", content, timestamp };
}

function blocks(timestamp: number, ...content: readonly object[]): OpenClawMessage {
  return { role: "user", content, timestamp };
}

const image = { type: "image", data: "aGk=", mimeType: "image/png" };

function result(timestamp: number, ...content: readonly object[]): OpenClawMessage {
  return { role: "toolResult", toolCallId: `c${timestamp}`, toolName: "read", content, timestamp };
}

function own(value: string): OpenClawMessage {
  return openClawMessage({ role: "user", content: [text(value)] });
}

const call: OpenClawMessage = {
  role: "assistant",
  content: [{ type: "toolCall", id: "c3", name: "write", arguments: { path: "a", text: "long" } }],
  timestamp: 2,
};

function viewIn(
  view: readonly OpenClawMessage[],
  earlier: readonly OpenClawMessage[],
  turn: readonly OpenClawMessage[],
): TurnView {
  const { messages } = readList([...earlier, ...turn], openClawCodec);
  return turnView(view, messages, earlier.length);
}

describe("a view in OpenClaw", () => {
  it("is the messages before the turn, and texts for those of the turn", () => {
    const earlier = [prompt("go", 1)];
    const turn = [prompt("and now", 5), result(6, text("all"))];
    const { history, swaps } = viewIn(
      [...earlier, prompt("and now", 5), result(6, text("[t1]"))],
      earlier,
      turn,
    );

    expect(history).toEqual(earlier);
    expect(swaps).toEqual([
      { from: "go", to: "go", role: "user" },
      { from: "and now", to: "and now", role: "user" },
      { from: "all", to: "[t1]", role: "toolResult" },
    ]);
  });

  it("replaces arguments of calls", () => {
    const stub = {
      ...call,
      content: [
        { type: "toolCall", id: "c3", name: "write", arguments: { path: "a", text: "[stub]" } },
      ],
    };
    const { swaps } = viewIn([prompt("go", 1), stub], [], [prompt("go", 1), call]);

    expect(swaps.map(({ from, to }) => [from, to])).toEqual([
      ["go", "go"],
      ["a", "a"],
      ["long", "[stub]"],
    ]);
  });

  it.each([
    ["a prompt", [prompt("go", 1)], [prompt("go", 1)]],
    ["a prompt of blocks", [blocks(1, text("go"))], [blocks(1, text("go"))]],
    ["a prompt with an image", [blocks(1, text("go"), image)], [blocks(1, text("go"), image)]],
    [
      "a result",
      [prompt("go", 1), call, result(3, text("all"))],
      [prompt("go", 1), call, result(3, text("f1 v2"), text("[f1 v2 replaces v1 above]"))],
    ],
  ])("is the same when the host no longer has its messages: %s", (_name, earlier, shown) => {
    const view = [...shown, own("[pinned: f1]"), prompt("more", 9)];
    const turn = [prompt("more", 9)];

    const before = viewIn(view, earlier, turn).history;
    const after = viewIn(view, [], turn).history;

    expect(after).toEqual(before);
  });

  it("joins texts of the context manager to the message before them, in the turn and later", () => {
    const view = [prompt("go", 1), call, result(3, text("all")), own("[pinned: f1]")];
    const now = viewIn(view, [], [prompt("go", 1), call, result(3, text("all"))]);
    const later = viewIn(
      [...view, prompt("more", 9)],
      [prompt("go", 1), call, result(3, text("all"))],
      [prompt("more", 9)],
    );

    expect(now.swaps.at(-1)?.to).toBe("all\n\n[pinned: f1]");
    expect(later.history.at(-1)?.["content"]).toEqual([text("all\n\n[pinned: f1]")]);
  });

  it("keeps a text of the context manager behind an answer as a message", () => {
    const answer: OpenClawMessage = { role: "assistant", content: [text("done")], timestamp: 2 };
    const { history } = viewIn(
      [prompt("go", 1), answer, own("[f1 changed]"), prompt("more", 9)],
      [prompt("go", 1), answer],
      [prompt("more", 9)],
    );

    expect(history.at(-1)).toMatchObject({ role: "custom", customType: ownKind });
  });

  it("has a fold as a block before the answer, also when the host no longer hands the answer over", () => {
    const answer: OpenClawMessage = { role: "assistant", content: [text("done")], timestamp: 2 };
    const folded = { ...answer, content: [text("[2 calls of turn 1 are folded]"), text("done")] };
    const turn = [prompt("and now", 5)];

    const handedOver = viewIn([prompt("go", 1), folded, ...turn], [prompt("go", 1), answer], turn);
    const later = viewIn([prompt("go", 1), folded, ...turn], [], turn);

    expect(handedOver.history).toEqual([prompt("go", 1), folded]);
    expect(later).toEqual(handedOver);
  });

  it("divides a text into as many as the host has, and leaves the message if it cannot", () => {
    const two = result(3, text("one"), text("two"));
    const swapsOf = (shown: string): readonly string[] =>
      viewIn([call, result(3, text(shown))], [], [call, two])
        .swaps.slice(2)
        .map(({ to }) => to);

    expect(swapsOf("f1 a.txt v1\n~~~\none\n~~~")).toEqual(["f1 a.txt v1\n~~~\none", "~~~"]);
    expect(swapsOf("[t1]")).toEqual(["one", "two"]);
  });

  it("leaves a message of the turn that the view does not have", () => {
    const { history, swaps } = viewIn([], [], [prompt("go", 1)]);

    expect(history).toEqual([]);
    expect(swaps).toEqual([{ from: "go", to: "go", role: "user" }]);
  });
});
