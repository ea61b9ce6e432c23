import * as fc from "fast-check";
import { expect, it } from "vitest";
import { userTextLength } from "../../src/layouts/epoch/in-part.ts";
import { userText } from "../../src/render/user-text.ts";

it("cuts no line that replaces a part of a user's message", () => {
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;
  const block = fc.oneof(
    fc.constant(image),
    fc.constantFrom("", "look", "two\nlines\n").map((text) => ({ type: "text", text }) as const),
  );
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), fc.nat(80), (blocks, most) => {
      const text = userText(blocks);
      const length = userTextLength(text, Math.min(most, text.length));
      expect(length).toBeLessThanOrEqual(most);
      const last = text.slice(0, length).split("\n").at(-1) ?? "";
      expect(last === "[image not shown]" || !last.startsWith("[")).toBe(true);
    }),
  );
});

it("cuts no character of two code units", () => {
  const text = "\u{1F469}\u{1F4BB}";

  expect([0, 1, 2, 3, 4].map((most) => userTextLength(text, most))).toEqual([0, 0, 2, 2, 4]);
});
