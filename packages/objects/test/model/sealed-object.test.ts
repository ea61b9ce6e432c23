import { describe, expect, it } from "vitest";
import { hashObject } from "../../src/model/hashes.ts";
import type { ObjectBody } from "../../src/model/object-body.ts";
import { sealObject, storable } from "../../src/model/sealed-object.ts";
import { fileSample } from "../samples.ts";

/** Returns a body with fields that its type does not allow. */
function bad(fields: Readonly<Record<string, unknown>>): ObjectBody {
  return { ...fileSample(), ...fields } as ObjectBody;
}

describe("sealing an object", () => {
  it("freezes the body at every depth and hashes it", () => {
    const body = fileSample({ deep: [{ deeper: { list: [1] } }] });

    const sealed = sealObject(body);

    expect(sealed.body).toBe(body);
    expect(sealed.hashes).toEqual(hashObject(fileSample({ deep: [{ deeper: { list: [1] } }] })));
    expect(
      () => (((body["deep"] as { deeper: unknown }[])[0] as { deeper: unknown }).deeper = 1),
    ).toThrow(TypeError);
    expect(Object.isFrozen(body.provenance)).toBe(true);
    expect(Object.isFrozen(sealed.hashes)).toBe(true);
  });

  it.each([
    ["no id", { id: "" }, "needs an id"],
    ["an id with a line break", { id: "a\nb" }, "needs an id"],
    ["an id with a lone surrogate", { id: "\ud800" }, "needs an id"],
    ["no type", { type: "" }, "has no type"],
    ["a content that is not a text", { content: 1 }, "has no content"],
    ["no content", { content: undefined }, "has no content"],
    ["no value of locked", { locked: undefined }, "locked"],
    ["no provenance", { provenance: undefined }, "has no provenance"],
    ["null for provenance", { provenance: null }, "has no provenance"],
    ["a nickname that is its id", { nickname: fileSample().id }, "cannot have the nickname"],
    ["an empty nickname", { nickname: "" }, "cannot have the nickname"],
    ["its own hash", { content_hash: "0" }, "only sealObject writes"],
    ["the hash of a summary that it lacks", { short_summary_hash: "0" }, "only sealObject writes"],
    [
      "the hash of a content field that it lacks",
      { content_fields: ["outline"], outline_hash: "0" },
      "only sealObject writes",
    ],
    ["a number that JSON cannot represent", { size: Number.NaN }, "the number at /size"],
    ["a function", { view_of: () => 1 }, "the value at /view_of"],
    ["a bigint", { size: 1n }, "the value at /size"],
    ["a list with a gap", { list: [1, undefined] }, "the list at /list has a gap"],
    ["a date", { when: new Date(0) }, "the value at /when has a toJSON method"],
    ["a lone surrogate in its content", { content: "a\ud800" }, "lone surrogate"],
    ["a lone surrogate in an inner field", { args: { list: ["\udc00"] } }, "lone surrogate"],
    ["a lone surrogate in a field's name", { args: { "\ud800": 1 } }, "lone surrogate"],
  ])("refuses a body with %s", (_name, fields, message) => {
    const body = bad(fields);

    expect(() => sealObject(body)).toThrow(message);
    expect(() => sealObject(bad(fields))).toThrow(TypeError);
  });

  it("refuses a lone surrogate in the text that was added to a long content", () => {
    const content = "word ".repeat(10_000);
    sealObject(bad({ content }));
    sealObject(bad({ content: `${content}😀` }));

    expect(() => sealObject(bad({ content: `${content}\ud83d` }))).toThrow("lone surrogate");
    expect(() => sealObject(bad({ content: `${content}😀\ude00` }))).toThrow("lone surrogate");
    hashObject(bad({ content: `${content}\ud83d` }));
    expect(() => sealObject(bad({ content: `${content}\ud83d, more` }))).toThrow("lone surrogate");
  });

  it("accepts the result of storable for values that JSON cannot contain", () => {
    const body = storable(
      bad({ content: "a\ud800", size: Number.NaN, gone: undefined, f: () => 1 }),
    );

    const sealed = sealObject(body);

    expect(sealed.body.content).toBe("a\uFFFD");
    expect(sealed.body).toMatchObject({ size: null });
    expect(Object.keys(sealed.body)).not.toContain("f");
  });
});
