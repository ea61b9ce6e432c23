import * as fc from "fast-check";
import { expect, test } from "vitest";
import { secretMark, secretMask } from "../src/index.ts";
import { keys, maker, privateKey } from "./corpus.ts";
import { memoryBook } from "./memory-book.ts";

const make = maker(7);
const secrets = Object.values(keys).map((key) => key(make));
const pem = privateKey(make, "RSA ").text;

/** Texts with secrets, marks and parts of marks at any place. */
function texts(marks: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(...secrets, pem, ...marks),
    fc.constantFrom(
      "DB_PASSWORD=",
      "Authorization: Bearer ",
      "https://app:",
      "@host",
      "\n",
      " ",
      '"',
      "[secret: ",
    ),
    fc.constantFrom(...marks).chain((mark) => fc.nat(mark.length).map((at) => mark.slice(at))),
    fc.constantFrom(...marks).chain((mark) => fc.nat(mark.length).map((at) => mark.slice(0, at))),
  );
  return fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
}

test("puts back exactly what it replaced, whatever the text is", () => {
  const book = memoryBook();
  const mask = secretMask(book);
  const known = secrets.slice(0, 3).map((secret) => mask.hide(`use ${secret} now`).slice(4, -4));
  const nested = mask.hide(known[0] ?? "");

  fc.assert(
    fc.property(texts([...known, nested]), (text) => {
      const hidden = mask.hide(text);

      expect(mask.reveal(hidden)).toBe(text);
      expect(mask.hide(text)).toBe(hidden);
      expect(secretMask(book).hide(text)).toBe(hidden);
      expect(hidden.split("\n").length).toBe(text.split("\n").length);
      for (const setting of ["keep", "off"] as const) {
        const other = secretMask(book, setting);
        expect(other.reveal(other.hide(text))).toBe(text);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("replaces a secret by its rule, its length and an id of its bytes", () => {
  const secret = keys["stripe-key"]?.(make) ?? "";
  const mask = secretMask(memoryBook());

  const hidden = mask.hide(`STRIPE=${secret} is used`);

  expect(hidden).toMatch(
    new RegExp(
      `^STRIPE=\\[secret: stripe-key, ${secret.length} characters, [0-9a-f]{12}\\] is used$`,
      "u",
    ),
  );
  expect(secretMask(memoryBook("another key")).hide(`STRIPE=${secret} is used`)).not.toBe(hidden);
});

test("replaces a known secret also where nothing but its bytes is there", () => {
  const book = memoryBook();
  const password = ["Xy7", "kq9Lm2", "Wd4"].join("");
  const bare = `the password ${password}`;
  const before = secretMask(book).hide(bare);
  const both = secretMask(book).hide(`${bare}\nDB_PASSWORD=${password}`);

  expect(before).toBe(bare);
  expect(both).not.toContain(password);
  for (const mask of [secretMask(book), secretMask(book)]) {
    expect(mask.hide(bare)).toMatch(/^the password \[secret: known-secret, 12 characters, /u);
    expect(mask.reveal(mask.hide(`x${password}x`))).toBe(`x${password}x`);
  }
});

test("does not give the bytes of a secret to a text that quotes its mark", () => {
  const mask = secretMask(memoryBook());
  const mark = mask.hide(`use ${secrets[0]}`).slice(4);

  expect(mask.reveal(mask.hide(`what is ${mark}?`))).toBe(`what is ${mark}?`);
  expect(mask.hide(mark)).toMatch(/^\[secret: mark, /u);
});

test("leaves a mark whose bytes are gone, and a part of a mark", () => {
  const book = memoryBook();
  const mask = secretMask(book);
  const hidden = mask.hide(`use ${secrets[0]} now`);
  let lost = 0;

  expect(mask.reveal(hidden.slice(0, -6))).toBe(hidden.slice(0, -6));
  book.kept.clear();
  expect(mask.reveal(hidden, () => (lost += 1))).toBe(hidden);
  expect(lost).toBe(1);
});

test("leaves a mark of another length than the bytes", () => {
  const mask = secretMask(memoryBook());
  const [, id = ""] = /([0-9a-f]{12})\]/u.exec(mask.hide(`use ${secrets[0]} now`)) ?? [];
  const made = secretMark({ rule: "openai-key", length: 3, id });

  expect(mask.reveal(made)).toBe(made);
});

test("reports each secret, and leaves it where secrets are kept", () => {
  const book = memoryBook();
  const found: string[] = [];

  const text = secretMask(book, "keep").hide(`use ${secrets[0]} now`, ({ rule }) =>
    found.push(rule),
  );

  expect(text).toBe(`use ${secrets[0]} now`);
  expect(found).toEqual(["anthropic-key"]);
  expect(book.kept.size).toBe(0);
});

test("looks for nothing where it is off", () => {
  const found: string[] = [];

  const text = secretMask(memoryBook(), "off").hide(`use ${secrets[0]} now`, ({ rule }) =>
    found.push(rule),
  );

  expect([text, found]).toEqual([`use ${secrets[0]} now`, []]);
});

test("throws if the bytes cannot be kept", () => {
  const full = {
    ...memoryBook(),
    keep: () => {
      throw new RangeError("full");
    },
  };

  expect(() => secretMask(full).hide(`use ${secrets[0]} now`)).toThrow("full");
});
