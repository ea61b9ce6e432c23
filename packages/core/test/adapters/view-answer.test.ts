import { describe, expect, it } from "vitest";
import { viewAnswer } from "../../src/adapters/view-answer.ts";
import type { Message } from "../../src/chat/message.ts";
import { neutralCodec } from "../../src/host/neutral-codec.ts";
import { type ReadList, readList } from "../../src/host/read-list.ts";

const user = (text: string): Message => ({ role: "user", content: text });
const said = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const listOf = (...messages: readonly Message[]): ReadList => readList(messages, neutralCodec);
const [first, second] = [user("first"), user("second")];

describe("the answer to the last view", () => {
  it("is the first new answer while every request has a view", () => {
    const answer = viewAnswer();
    answer.sends(listOf(first));

    expect(answer.indexIn(listOf(first, said("one"), second))).toBeUndefined();
  });

  it("is the one that the host had before it sent a request without a view", () => {
    const answer = viewAnswer();
    answer.sends(listOf(first));
    answer.misses(listOf(first, said("one"), second));
    answer.misses(listOf(first, said("one"), second, said("two"), second));

    expect(answer.indexIn(listOf(first, said("one"), second, said("two"), user("third")))).toBe(1);
  });

  it("is in no list if the host sent its own list again instead of getting it", () => {
    const answer = viewAnswer();
    answer.sends(listOf(first));
    answer.misses(listOf(first));
    answer.misses(listOf(first, said("one"), second));

    expect(answer.indexIn(listOf(first, said("one"), second, said("two")))).toBe(-1);
  });

  it("is in no list that has lost it", () => {
    const answer = viewAnswer();
    answer.sends(listOf(first));
    answer.misses(listOf(first, said("one"), second));

    expect(answer.indexIn(listOf(second, said("two"), user("third")))).toBe(-1);
  });

  it("is found in a list that has lost its beginning", () => {
    const answer = viewAnswer();
    answer.sends(listOf(first, said("one"), second));
    answer.misses(listOf(second, said("two"), user("third")));

    expect(answer.indexIn(listOf(second, said("two"), user("third"), said("three")))).toBe(1);
  });
});
