import { array, assert, boolean, constantFrom, property, string, tuple } from "fast-check";
import { describe, expect, test } from "vitest";

import { type Block, isText } from "../../src/chat/message.ts";
import { textsAround } from "../../src/host/texts-around.ts";

const text = (one: string): Block => ({ type: "text", text: one });
const user = (content: string | readonly Block[]) => ({ role: "user", content }) as const;
const image: Block = { type: "image", data: "aGk=", mimeType: "image/png" };

describe("the text that others add to a user's message", () => {
  test.each([
    { name: "on a line below", own: "go on", sent: "go on\nbe brief", after: "be brief" },
    { name: "in brackets", own: "go on", sent: "go on <m>plan</m>", after: "<m>plan</m>" },
    { name: "on a line above", own: "go on", sent: "be brief\ngo on", before: "be brief" },
    { name: "in brackets before", own: "go on", sent: "[plan] go on", before: "[plan]" },
  ])("is found $name", ({ own, sent, before, after }) => {
    const blocks = (one: string | undefined) => (one === undefined ? [] : [text(one)]);

    expect(textsAround(user(own), user(sent))).toEqual({
      before: blocks(before),
      after: blocks(after),
    });
  });

  test.each([
    { name: "an equal message", own: "go on", sent: "go on" },
    { name: "a rewritten word", own: "go", sent: "going" },
    { name: "a rewritten sentence", own: "go", sent: "go home" },
    { name: "a masked text", own: "the key is abc", sent: "the key is [masked]" },
    { name: "white space", own: "go on", sent: "go on\n\n " },
    { name: "a message without a text", own: "", sent: "\nbe brief" },
  ])("is not $name", ({ own, sent }) => {
    expect(textsAround(user(own), user(sent))).toBeUndefined();
  });

  test("is found beside images, in a block of its own or in the block of the prompt", () => {
    const own = user([text("look"), image]);

    for (const sent of [
      [text("look"), image, text("be brief")],
      [text("look\nbe brief"), image],
    ])
      expect(textsAround(own, user(sent))).toEqual({ before: [], after: [text("be brief")] });
    expect(textsAround(own, user([text("look")]))).toBeUndefined();
  });

  test("is not found around a message that has lost one of its texts", () => {
    const own = user([text("look"), text("and compare")]);

    expect(textsAround(own, user([text("look\nbe brief")]))).toBeUndefined();
  });

  test("gives with the message all words that were sent", () => {
    const words = array(constantFrom("go", "on", "be", "brief", "\n", "<m>", " "), {
      minLength: 1,
      maxLength: 6,
    }).map((all) => all.join(" "));
    const content = array(tuple(words, boolean()), { minLength: 1, maxLength: 3 }).map((all) =>
      all.map(([one, isImage]) => (isImage ? image : text(one))),
    );
    const cases = tuple(content, words, words, boolean()).map(([own, before, after, isBlock]) => ({
      own,
      sent: isBlock
        ? [text(before), ...own, text(after)]
        : own.map((one, index) =>
            isText(one) && index === own.length - 1 ? text(`${one.text}\n${after}`) : one,
          ),
    }));
    assert(
      property(cases, ({ own, sent }) => {
        const found = textsAround(user(own), user(sent));
        const whole = found === undefined ? sent : [...found.before, ...own, ...found.after];

        expect(wordsIn(whole)).toEqual(wordsIn(sent));
      }),
    );
  });

  test("is nothing where the message is not in what was sent", () => {
    const cases = tuple(string({ minLength: 1 }), string()).filter(
      ([own, sent]) => !sent.includes(own),
    );
    assert(
      property(cases, ([own, sent]) => {
        expect(textsAround(user(own), user(sent))).toBeUndefined();
      }),
    );
  });
});

/** Returns the words of blocks in alphabetical order. */
function wordsIn(blocks: readonly Block[]): readonly string[] {
  return blocks
    .flatMap((one) => (isText(one) ? one.text.split(/\s+/u) : ["(image)"]))
    .filter((word) => word !== "")
    .toSorted();
}
