import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../../src/model/json.ts";
import { type ChainEnd, chainLink } from "../../src/store-kit/chain-link.ts";
import { applyDelta } from "../../src/store-kit/delta-apply.ts";
import type { Delta } from "../../src/store-kit/delta-encode.ts";
import { bulkOf } from "../../src/store-kit/stored-body.ts";
import { heldTextKeys } from "../../src/store-kit/text-parts.ts";
import { versionOf } from "../store-versions.ts";

/** Stores bodies as the versions of one object. Returns the texts that were stored separately, and the rebuilt fields. */
function storedChain(bodies: readonly Readonly<Record<string, JsonValue>>[]) {
  const texts: string[] = [];
  let end: ChainEnd | undefined;
  let value: JsonValue | undefined;
  const versions = bodies.map((body, index) => {
    const stored = versionOf("a", index + 1, { content: null, ...body });
    const link = chainLink(end, stored, {
      write: (text) => texts.push(text) - 1,
      written: () => texts.join("").length,
    });
    end = { stored, ...link };
    if (link.delta !== undefined)
      value = applyDelta(link.base === stored.version ? undefined : value, parsed(link.delta), {
        read: (key) => texts[Number(key)] ?? `no text ${key}`,
      });
    return { delta: link.delta ?? "", value: structuredClone(value), bulk: bulkOf(stored.body) };
  });
  return { texts, versions };
}

function parsed(delta: string): Delta {
  return JSON.parse(delta) as Delta;
}

const [one, two] = ["one ".repeat(400), "two ".repeat(500)];
const blocks = [
  { type: "text", text: one },
  { type: "text", text: two },
];

it("stores a content that consists of other texts of the version by their keys", () => {
  const { texts, versions } = storedChain([{ blocks, content: `a ${one}, ${two} ~#1;` }]);

  expect(texts).toEqual([one, two]);
  expect(versions[0]?.delta).toContain('"~+0@2 1@4;a ,  ~#1;"');
  expect(versions[0]?.value).toEqual(versions[0]?.bulk);
});

it("stores what is added to a content by the keys of the texts that were added with it", () => {
  const { texts, versions } = storedChain([
    { turns: ["short"], content: "short" },
    { turns: ["short", { said: one }], content: `short\n--- assistant\n${one}\n` },
  ]);

  expect(texts).toEqual([one]);
  expect(versions.map(({ value }) => value)).toEqual(versions.map(({ bulk }) => bulk));
});

it("stores the rest of a content as a text of its own if it is long", () => {
  const rest = "rest ".repeat(300);
  const { texts, versions } = storedChain([{ blocks, content: `${one}${rest}${two}` }]);

  expect(texts).toEqual([one, two, rest]);
  expect(versions[0]?.value).toEqual(versions[0]?.bulk);
});

it("any texts that contain each other and the marks of the stored form are read as they were", () => {
  const pieces = fc.constantFrom(one, two, "~", "~+", "~#0", "0@1;", "\u{1f600}", " ", "x");
  const text = fc.array(pieces, { maxLength: 5 }).map((all) => all.join(""));
  const body = fc.record({
    content: text,
    blocks: fc.array(fc.record({ text }), { maxLength: 3 }),
    args: fc.record({ text, other: text }),
  });
  fc.assert(
    fc.property(fc.array(body, { minLength: 1, maxLength: 4 }), (bodies) => {
      const { versions } = storedChain(bodies);
      const last = versions.filter(({ delta }) => delta !== "");
      expect(last.map(({ value }) => value)).toEqual(last.map(({ bulk }) => bulk));
    }),
    { numRuns: 300 },
  );
});

it.each([
  ["~#12", ["12"]],
  ["~#ab,cd", ["ab,cd"]],
  ["~+12@0;", ["12"]],
  ["~+12@0 ab,cd@40;the rest ~#13", ["12", "ab,cd"]],
  ["~+12@0;~#13", ["12", "13"]],
  ["~+12@0;~~#13", ["12"]],
  ["~~#12", []],
  ["~~+12@0;", []],
  ["text ~#12", []],
])("names the texts of the stored form %s", (stored, keys) => {
  expect(heldTextKeys(stored)).toEqual(keys);
});
