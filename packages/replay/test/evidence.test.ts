import { expect, test } from "vitest";

import { evidenceOf, missingGrams, type UsedGram } from "../src/measure/evidence.ts";
import type { RecordedMessage } from "../src/read/recorded-session.ts";
import { wordsOf } from "../src/measure/words.ts";
import { calls, result, says, user, words } from "./made-sessions.ts";

const read = [user("look"), calls("a", "read", { path: "a.ts" })];

/** The calls that quote outputs or large arguments, with their 8-grams. */
function quoting(rows: readonly RecordedMessage[]): ReadonlyMap<number, readonly UsedGram[]> {
  const found = [...evidenceOf(rows).uses].map(
    ([call, grams]) => [call, grams.filter(({ isOutput }) => isOutput)] as const,
  );
  return new Map(found.filter(([, grams]) => grams.length > 0));
}

/** The calls that quote arguments, answers or thinking. */
function quotingTalk(rows: readonly RecordedMessage[]): readonly number[] {
  return [...evidenceOf(rows).uses].flatMap(([call, grams]) =>
    grams.some(({ isTalk }) => isTalk) ? [call] : [],
  );
}

test("a message that repeats ten words of a result uses its three 8-grams", () => {
  const rows = [...read, result("a", "read", words("x", 30)), says(words("x", 10))];

  const { uses } = evidenceOf(rows);

  expect([...uses.keys()]).toEqual([1]);
  expect(uses.get(1)).toHaveLength(3);
  expect(uses.get(1)?.every(({ isStrict }) => isStrict)).toBe(true);
});

test("seven words in a row are not a quotation", () => {
  const rows = [...read, result("a", "read", words("x", 30)), says(`${words("x", 7)} and`)];

  expect(evidenceOf(rows).uses.size).toBe(0);
});

test("words that a user, the model's thinking or another answer contains too are no evidence of outputs", () => {
  const quoted = words("x", 10);
  const others = [
    [user(`see ${quoted}`), ...read.slice(1)],
    [...read.slice(0, 1), says(quoted), ...read.slice(1)],
    [
      ...read.slice(0, 1),
      { role: "assistant" as const, content: [{ type: "thinking" as const, thinking: quoted }] },
      ...read.slice(1),
    ],
  ];

  for (const before of others) {
    const rows = [...before, result("a", "read", quoted), says(quoted)];
    expect(quoting(rows).size).toBe(0);
  }
});

test("what an answer says or thinks and all arguments are evidence of the talk, what the user says is not", () => {
  const quoted = words("x", 10);
  const first = read.slice(0, 1);
  const thinks = {
    role: "assistant" as const,
    content: [{ type: "thinking" as const, thinking: quoted }],
  };
  const asks = calls("b", "bash", { command: quoted });
  const ends = [user("again"), says(quoted)];

  expect(quotingTalk([...first, says(quoted), ...ends])).toEqual([1]);
  expect(quotingTalk([...first, thinks, ...ends])).toEqual([1]);
  expect(quotingTalk([...first, asks, result("b", "bash", "ok"), ...ends])).toEqual([1]);
  expect(quotingTalk([user(quoted), says(quoted), ...ends])).toEqual([]);
  expect(quotingTalk([...read, result("a", "read", quoted), says(quoted)])).toEqual([]);
});

test("a quotation counts once, because afterwards the message itself contains it", () => {
  const rows = [
    ...read,
    result("a", "read", words("x", 30)),
    says(words("x", 10)),
    user("again"),
    says(words("x", 10)),
  ];

  expect([...quoting(rows).keys()]).toEqual([1]);
  expect(quotingTalk(rows)).toEqual([2]);
});

test("string values of arguments quote like text", () => {
  const rows = [
    ...read,
    result("a", "read", words("x", 30)),
    calls("b", "edit", { path: "a.ts", oldText: words("x", 9) }),
    result("b", "edit", "ok"),
  ];

  expect(evidenceOf(rows).uses.get(1)).toHaveLength(2);
});

test("large arguments of a write are additional evidence; small ones are not", () => {
  const large = [...read.slice(0, 1), calls("a", "write", { path: "a", content: words("x", 60) })];
  const small = [...read.slice(0, 1), calls("a", "write", { path: "a", content: words("x", 9) })];
  const rest = [result("a", "write", "ok"), says(words("x", 9))];

  expect(
    evidenceOf([...large, ...rest])
      .uses.get(1)
      ?.map(({ isStrict }) => isStrict),
  ).toEqual([false, false]);
  expect(quoting([...small, ...rest]).size).toBe(0);
  expect(quotingTalk([...small, ...rest])).toEqual([1]);
});

test("the positions of an 8-gram are those in the joined text of its object", () => {
  const [first, second] = [words("x", 30), words("y", 40)];
  const blocks = [first, second].map((text) => ({ type: "text" as const, text }));
  const rows = [
    user("look"),
    calls("a", "write", { path: "a", old: words("p", 30), content: words("q", 30) }),
    { ...result("a", "write", ""), content: blocks } as RecordedMessage,
    says(`${words("y", 8)} and ${words("q", 8)}`),
  ];

  const { objects, uses } = evidenceOf(rows);

  const quoted = (uses.get(1) ?? []).flatMap(({ holders }) =>
    holders.map(({ object, start, end }) => objects[object]?.text.slice(start, end)),
  );
  expect(quoted).toEqual([words("y", 8), words("q", 8)]);
});

test("line numbers and written-out escapes are not words", () => {
  const numbers = new Map<string, number>();
  const text = "  12→alpha\n  13:beta\n14|gamma\n15-delta\n16\tepsilon\nzeta\\neta 17:5";

  const { ids, starts } = wordsOf(text, numbers);

  const plain = [...numbers].filter(([, id]) => ids.includes(id)).map(([word]) => word);
  expect(plain).toEqual(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "17", "5"]);
  expect(starts.map((start) => text[start])).toEqual(["a", "b", "g", "d", "e", "z", "e", "1", "5"]);
});

test("in a partly shown result an 8-gram is visible if the shown part contains all of it", () => {
  const text = words("x", 20);
  const rows = [...read, result("a", "read", text), says(words("x", 9))];
  const grams = evidenceOf(rows).uses.get(1) ?? [];
  const endOfEighth = text.indexOf("x7") + 2;

  const first = missingGrams(grams, () => [{ start: 0, end: endOfEighth }]);
  const short = missingGrams(grams, () => [{ start: 0, end: endOfEighth - 1 }]);

  expect([first.length, short.length]).toEqual([1, 2]);
  expect(missingGrams(grams, () => "whole")).toHaveLength(0);
  expect(missingGrams(grams, () => "none")).toHaveLength(2);
});
