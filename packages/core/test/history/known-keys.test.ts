import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import type { TurnPosition } from "../../src/chat/turn.ts";
import { recogniseList } from "../../src/history/recognise-list.ts";
import type { MessageCodec, MessageIdentity } from "../../src/host/message-codec.ts";
import { keyName, type KnownMessage, uniqueKey } from "../../src/host/message-identity.ts";
import { readList } from "../../src/host/read-list.ts";

/**
 * A message without id and time: `u go` is a prompt, `a ok` an answer, `f` a failed answer, `r 1` the result of the call
 * with the id 1, `s old` a summary that the chat does not have.
 */
type Word = string;

const roles: Readonly<Record<string, string>> = { u: "user", a: "assistant", f: "assistant" };

function identityOf(word: Word): MessageIdentity {
  const [letter = ""] = word;
  if (letter === "r") return { role: "toolResult", callId: word };
  return { role: roles[letter] ?? "summary", key: `content:${word}` };
}

const codec: MessageCodec<Word> = {
  identify: identityOf,
  decode: (word): Message => ({ role: "user", content: word }),
};

function knownOf(words: readonly Word[]): readonly KnownMessage[] {
  const known = new Map<string, KnownMessage>();
  const position = { turn: -1, step: -1 };
  for (const word of words) {
    if (word.startsWith("u")) Object.assign(position, { turn: position.turn + 1, step: -1 });
    if (word.startsWith("a") || word.startsWith("f")) position.step += 1;
    const place: TurnPosition | undefined = word.startsWith("s") ? undefined : { ...position };
    const message = { identity: identityOf(word), position: place };
    const key = uniqueKey(known, keyName(message.identity));
    known.set(key, { ...message, key });
  }
  return [...known.values()];
}

/** Returns for each message of a list the index of the known message that it is, or `-`. */
function found(
  chat: readonly Word[],
  list: readonly Word[],
  {
    last = chat,
    rewound = false,
    replaced = 0,
  }: { last?: readonly Word[]; rewound?: boolean; replaced?: number } = {},
): string {
  const known = knownOf(chat);
  const offset = chat.length - last.length;
  const { messages } = readList(list, codec);
  const { keys: keysOf } = recogniseList(
    messages,
    {
      sequence: known.slice(offset),
      known: new Map(known.map((one) => [one.key, one])),
      isDiscarded: ({ identity }) => identity.key?.startsWith("content:f") === true,
      replacedUntil: { turn: replaced, step: -1 },
    },
    { rewound },
  );
  const keys = keysOf();
  expect(new Set(keys).size).toBe(keys.length);
  const indexes = keys.map((key) => known.findIndex((one) => one.key === key));
  return indexes.map((index) => (index === -1 ? "-" : String(index))).join(" ");
}

const twice = ["u go", "a ok", "u go", "a ok"];

describe("messages without ids and times", () => {
  it.each<readonly [string, readonly Word[], readonly Word[], string]>([
    ["a prompt with known words", twice, [...twice, "u go"], "0 1 2 3 -"],
    ["the same list", twice, twice, "0 1 2 3"],
    ["a prompt that still waits", [...twice, "u go"], [...twice, "u go"], "0 1 2 3 4"],
    ["one kept message and a prompt", twice, ["a ok", "u go"], "3 -"],
    ["a list that begins again", twice, ["u go"], "-"],
    ["a prompt again after a failed answer", ["u go", "f"], ["u go"], "0"],
    [
      "the other continuation of a prompt",
      ["u go", "a ok", "u stop"],
      ["u go", "a ok", "u on"],
      "0 1 -",
    ],
    [
      "an edited first message whose words come again",
      ["u go", "a x", "u on", "a y"],
      ["u stop", "a x", "u on", "a y", "u go"],
      "- 1 2 3 -",
    ],
    ["a summary of the host", ["s old", "u go", "a ok"], ["s old", "a ok", "u on"], "0 2 -"],
    [
      "the id of a call again",
      ["u go", "a x", "r 1", "u on"],
      ["u go", "a x", "r 1", "u on", "a z", "r 1"],
      "0 1 2 3 - -",
    ],
    [
      "the result of a dropped call, whose id came again",
      ["u go", "a x", "r 1", "u on", "a z", "r 1"],
      ["r 1", "u stop"],
      "5 -",
    ],
    [
      "a result that is reported twice",
      ["u go", "a x", "r 1"],
      ["u go", "a x", "r 1", "r 1"],
      "0 1 2 -",
    ],
    [
      "parallel results in another order",
      ["u go", "a x", "r 1", "r 2"],
      ["u go", "a x", "r 2", "r 1", "a ok"],
      "0 1 3 2 -",
    ],
    [
      "one earlier answer and another prompt",
      ["u go", "a x", "u on", "a y"],
      ["a x", "u stop"],
      "1 -",
    ],
    [
      "earlier prompts without answers, and another prompt",
      ["u no", "u go", "u on", "u yes", "f"],
      ["u go", "u on", "u stop"],
      "1 2 -",
    ],
    [
      "one answer whose words came twice, and another prompt",
      ["u go", "a x", "u on", "a x", "u no", "a y"],
      ["a x", "u stop"],
      "- -",
    ],
    [
      "a prompt behind messages that are new",
      ["u go", "a x", "u on"],
      ["u stop", "a y", "u on"],
      "- - -",
    ],
  ])("are recognised in %s", (_, chat, list, indexes) => {
    expect(found(chat, list)).toBe(indexes);
  });

  it("continue a list that began again with the words of the chat's beginning", () => {
    const chat = ["u go", "a ok", "u go"];
    expect(found(chat, ["u go", "a ok", "u on"], { last: ["u go"] })).toBe("2 - -");
  });

  it("are compared with the last list first, which can be the end of the chat", () => {
    expect(found(twice, ["u go", "a ok", "u go"], { last: twice.slice(2) })).toBe("2 3 -");
    const chat = ["u a", "a b", "u c", "a d", "u e"];
    expect(found(chat, ["u c", "a d", "u x"], { last: chat.slice(2) })).toBe("2 3 -");
  });

  it("are those of the last list behind the same summary", () => {
    const chat = ["u go", "a x", "s old", "u go", "a y", "u on", "a z"];
    expect(found(chat, ["s old", "u go", "u stop"], { last: chat.slice(2) })).toBe("2 3 -");
  });

  it("are the earlier ones if the host reports that the user went back", () => {
    expect(found(twice, ["u go"], { rewound: true })).toBe("0");
    expect(found(["u a", ...twice], ["u go", "a ok"], { rewound: true })).toBe("3 4");
  });

  it("are no longer those of a prompt without an answer once a summary replaces it", () => {
    expect(found(["u go", "u stop"], ["u go"])).toBe("0");
    expect(found(["u go", "u stop"], ["u go"], { replaced: 1 })).toBe("-");
  });
});
