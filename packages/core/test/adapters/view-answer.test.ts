import { describe, expect, it } from "vitest";
import { viewAnswer } from "../../src/adapters/view-answer.ts";
import type { Message } from "../../src/chat/message.ts";
import { neutralCodec } from "../../src/host/neutral-codec.ts";

const user = (text: string): Message => ({ role: "user", content: text });
const said = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const [first, second] = [user("first"), user("second")];

describe("the answer to the last view", () => {
  it("is the first new answer while every request has a view", () => {
    const answer = viewAnswer(neutralCodec);
    answer.sends([first]);

    expect(answer.indexIn([first, said("one"), second])).toBeUndefined();
  });

  it("is the one that the host had before it sent a request without a view", () => {
    const answer = viewAnswer(neutralCodec);
    answer.sends([first]);
    answer.misses([first, said("one"), second]);
    answer.misses([first, said("one"), second, said("two"), second]);

    expect(answer.indexIn([first, said("one"), second, said("two"), user("third")])).toBe(1);
  });

  it("is in no list if the host sent its own list again instead of getting it", () => {
    const answer = viewAnswer(neutralCodec);
    answer.sends([first]);
    answer.misses([first]);
    answer.misses([first, said("one"), second]);

    expect(answer.indexIn([first, said("one"), second, said("two")])).toBe(-1);
  });

  it("is in no list that has lost it", () => {
    const answer = viewAnswer(neutralCodec);
    answer.sends([first]);
    answer.misses([first, said("one"), second]);

    expect(answer.indexIn([second, said("two"), user("third")])).toBe(-1);
  });

  it("is found in a list that has lost its beginning", () => {
    const answer = viewAnswer(neutralCodec);
    answer.sends([first, said("one"), second]);
    answer.misses([second, said("two"), user("third")]);

    expect(answer.indexIn([second, said("two"), user("third"), said("three")])).toBe(1);
  });
});
