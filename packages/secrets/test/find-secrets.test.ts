import { expect, test } from "vitest";
import { findSecrets, secretRuleNames } from "../src/index.ts";
import {
  type CorpusLine,
  falseLines,
  keys,
  maker,
  namedLines,
  privateKey,
  providerLines,
  sentLines,
} from "./corpus.ts";

const seed = 20_261_130;

function missedIn(lines: readonly CorpusLine[]): readonly CorpusLine[] {
  return lines.filter(({ text, secrets, rules }) => {
    const found = findSecrets(text);
    return !secrets.every((secret) =>
      found.some(
        ({ start, end, rule }) => text.slice(start, end) === secret && rules.includes(rule),
      ),
    );
  });
}

test("finds at least 98 of 100 secrets, each kind apart and without its name", () => {
  const make = maker(seed);
  for (const lines of [providerLines(make), namedLines(make, 400), sentLines(make, 80)]) {
    const missed = missedIn(lines);

    expect(missed.length / lines.length).toBeLessThanOrEqual(0.02);
  }
});

test("finds nothing in lines that only look as if they had a secret", () => {
  const lines = falseLines(maker(seed), 1_200);

  expect(lines.filter((line) => findSecrets(line).length > 0)).toEqual([]);
});

test.each([
  "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  "postgres://app:Change-Me-4u@db.internal/x",
  "API_KEY=your-8fK2mQ9zL4Tr",
  "export DB_PASSWORD=Dummy9x4Kq7Lm2",
])("knows a value of documentation by its words: %s", (line) => {
  expect(findSecrets(line)).toEqual([]);
});

test("has a line in the corpus for each rule of a provider", () => {
  const others = ["private-key", "authorization", "url-password", "named-value"];
  const unsampled = secretRuleNames.filter(
    (name) => keys[name] === undefined && !others.includes(name),
  );

  expect(unsampled).toEqual(["slack-webhook", "discord-webhook", "azure-storage-key"]);
});

test.each(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "PGP "])(
  "finds each line of a %sprivate key",
  (kind) => {
    const { text, secrets } = privateKey(maker(seed), kind);
    const forms = [
      text,
      `before\n${text}\nafter the key, a sentence with 12345678 words`,
      text.replaceAll("\n", "\r\n"),
      text
        .split("\n")
        .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
        .join("\n"),
      text
        .split("\n")
        .map((line) => `+${line}`)
        .join("\n"),
      `{"private_key":${JSON.stringify(text)}}`,
      text.split("\n").slice(0, -4).join("\n"),
      text.split("\n").slice(4).join("\n"),
    ];

    for (const form of forms) {
      const found = findSecrets(form).map(({ start, end }) => form.slice(start, end));

      expect(found).toEqual(secrets.filter((line) => form.includes(line)));
    }
  },
);
