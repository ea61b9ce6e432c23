import { expect, test } from "vitest";
// @boundaries-ignore Several packages compare times in this way.
import { growth, linear } from "../../../tools/growth.ts";
import { findSecrets } from "../src/index.ts";

/** Texts on which a search that begins again at each place would take a time that grows with the square of the length. */
const texts: Readonly<Record<string, string>> = {
  "one long word": "a1",
  "beginnings of keys": "sk-ant-api03-",
  "beginnings of tokens": "eyJ",
  "parts of tokens": "eyJabcdefgh1.",
  "names without values": "api_key=",
  "one long name": "_token1",
  "beginnings of URLs": "http://a1",
  "users of URLs": "://a1:",
  headers: "Authorization: Bearer ",
  "beginnings of private keys": "-----BEGIN RSA PRIVATE KEY-----\n",
  "beginnings of private keys on one line": "-----BEGIN RSA PRIVATE KEY-----",
  "ends of private keys": "-----END RSA PRIVATE KEY-----\n",
  spaces: "password =        ",
  quotes: 'token="',
};

test.each(Object.keys(texts))("takes a time in proportion to the length of %s", (name) => {
  const unit = texts[name] ?? "";
  const run = (size: number): void => void findSecrets(unit.repeat(size / unit.length));

  expect(growth(run, 400_000)).toBeLessThan(linear);
});
