import { array, assert, constantFrom, property, record } from "fast-check";
import { describe, expect, test } from "vitest";

import type { Block } from "../../src/chat/message.ts";
import { markedList } from "../../src/host/marked-list.ts";
import type { MessageCodec } from "../../src/host/message-codec.ts";
import { type ReadList, readList } from "../../src/host/read-list.ts";

interface Said {
  readonly role: string;
  readonly key: string;
  readonly text?: string;
}

const codec: MessageCodec<Said> = {
  identify: ({ role, key }) => ({ role, key }),
  decode: ({ text = "" }) => ({ role: "user", content: text }),
};

const said = (...keys: readonly string[]): readonly Said[] =>
  keys.map((key) => ({ role: "user", key }));

interface Lists {
  readonly host: readonly Said[];
  readonly sent: readonly Said[];
  readonly added?: readonly Said[];
  readonly reading?: MessageCodec<Said>;
}

function marked({ host, sent, added = [], reading = codec }: Lists): ReadList<Said | undefined> {
  const own = readList(host, reading);
  return markedList({ host: own, sent: readList(sent, reading, own), added: new Set(added) });
}

const signs = { own: "", added: "+", "left-out": "-" };

/** Returns the keys of a list, with `+` for an added message and `-` for one that is left out. */
function marks(host: readonly Said[], sent: readonly Said[], added: readonly Said[] = []): string {
  const { messages } = marked({ host, sent, added });
  return messages.map(({ mark, key }) => `${signs[mark]}${key}`).join(" ");
}

describe("the list of a request", () => {
  const host = said("a", "b", "c", "d");

  test("is the host's list if nobody has changed it", () => {
    expect(marks(host, host)).toBe("a b c d");
    expect(marked({ host, sent: host }).messages.map(({ raw }) => raw)).toEqual(host);
  });

  test.each([
    { name: "at the beginning", sent: ["b", "c", "d"], marked: "-a b c d" },
    { name: "in the middle", sent: ["a", "d"], marked: "a -b -c d" },
    { name: "at the end", sent: ["a", "b"], marked: "a b -c -d" },
  ])("has messages back that were left out $name", ({ sent, marked }) => {
    expect(marks(host, said(...sent))).toBe(marked);
  });

  test("places a message by its object, if the host has it at several places and another of its name between", () => {
    const [a, other, b] = said("a", "a", "b") as [Said, Said, Said];

    expect(marks([a, other, b, a], [a, b])).toBe("a -a b -a");
  });

  test("keeps added messages at their places", () => {
    const [x, y] = said("x", "y") as [Said, Said];
    const [a, b, , d] = host as [Said, Said, Said, Said];

    expect(marks(host, [x, a, b, y, d], [x, y])).toBe("+x a b +y -c d");
  });

  test("has all messages back if only added ones are left", () => {
    const [x] = said("x") as [Said];

    expect(marks(host, [x], [x])).toBe("+x -a -b -c -d");
  });

  test("has the results of an added answer as added, and no other result", () => {
    const call = (id: string): Block => ({ type: "toolCall", id, name: "bash", arguments: {} });
    const answers: MessageCodec<Said> = {
      identify: ({ role, key, text }) => ({
        role,
        key,
        ...(role === "toolResult" && text !== undefined ? { callId: text } : {}),
      }),
      decode: ({ text = "" }) => ({ role: "assistant", content: [call(text)], meta: {} }),
    };
    const answer = (key: string, id: string): Said => ({ role: "assistant", key, text: id });
    const result = (key: string, id: string): Said => ({ role: "toolResult", key, text: id });
    const [first, nested, last] = [answer("x", "9"), answer("y", "8"), answer("z", "1")];
    const own = [answer("a", "1"), result("a result", "1")] as const;
    const nestedResults = [result("y result", "8"), result("x result", "9")];
    const sent = [first, nested, ...nestedResults, ...own, last, result("z result", "1")];

    const added = [first, nested, last, own[1]];
    const { messages } = marked({ host: own, sent, added, reading: answers });

    expect(messages.flatMap(({ mark, key }) => (mark === "added" ? [key] : []))).toEqual([
      "x",
      "y",
      "y result",
      "x result",
      "z",
      "z result",
    ]);
  });

  test("is left as it is in another order, or without a message that is known", () => {
    expect(marks(host, said("b", "a", "d"))).toBe("b a d");
    expect(marks(host, said("x", "y"))).toBe("x y");
    expect(marks(host, [])).toBe("");
  });

  test("keeps changed messages, and those that are unknown but not added", () => {
    const changed = said("a", "b").map((one) => ({ ...one, text: "masked" }));
    const [summary] = said("summary") as [Said];

    const { messages } = marked({ host, sent: [...changed, summary] });

    expect(messages.map(({ raw }) => raw?.text ?? "")).toEqual(["masked", "masked", "", "", ""]);
  });

  test("has a text that others appended as a message of its own", () => {
    const own = said("a", "b").map((one) => ({ ...one, text: `say ${one.key}` }));
    const sent = own.map((one) => ({ ...one, text: `${one.text}\n<mode>plan</mode>` }));

    const { messages } = marked({ host: own, sent: sent.slice(1) });

    expect(messages.map((one) => [one.decode(), one.mark])).toEqual([
      [{ role: "user", content: "say a" }, "left-out"],
      [{ role: "user", content: "say b" }, "own"],
      [{ role: "user", content: [{ type: "text", text: "<mode>plan</mode>" }] }, "added"],
    ]);
  });

  test("has equal messages back, of which only the earlier one was left out", () => {
    expect(marks(said("a", "b", "a", "c"), said("b", "a", "c"))).toBe("-a b a c");
  });

  test("without the marked messages, has the messages of the host that were sent, in order", () => {
    const cases = array(
      record({ key: constantFrom("a", "b", "c", "d"), fate: constantFrom(0, 1, 2, 3) }),
      { maxLength: 12 },
    );
    assert(
      property(cases, (steps) => {
        const own: Said[] = [];
        const sent: Said[] = [];
        const added = new Set<Said>();
        for (const [index, { key, fate }] of steps.entries()) {
          const message = { role: "user", key: fate === 2 ? `new ${index}` : key };
          if (fate !== 2) own.push(message);
          if (fate === 2) added.add(message);
          // Some hosts pass copies of their messages.
          if (fate !== 1) sent.push(fate === 3 ? { ...message } : message);
        }
        const { messages } = marked({ host: own, sent, added: [...added] });
        const kept = messages.filter(({ mark }) => mark !== "left-out");
        const history = messages.filter(({ mark }) => mark !== "added");

        expect(kept.map(({ raw }) => raw)).toEqual(sent);
        expect(messages.flatMap(({ raw, mark }) => (mark === "added" ? [raw] : []))).toEqual([
          ...added,
        ]);
        // An emptied list shows nothing about single messages.
        const whole = sent.length > 0 ? own : history;
        expect(history.map(({ key }) => key)).toEqual(whole.map(({ key }) => key));
      }),
    );
  });
});
