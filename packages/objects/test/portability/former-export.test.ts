import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { verifyVersion } from "../../src/model/verify-version.ts";
import { exportLine, readExportHeader, readLine } from "../../src/portability/export-line.ts";

/** An export of format 1 with versions of hash rule 1 of every type. */
const [header = "", ...lines] = readFileSync(
  new URL("../fixtures/export-1.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n");

describe("an export of format 1", () => {
  it("is read with the hashes of its own rule", () => {
    expect(readExportHeader(header)).toEqual({ versions: lines.length });
    for (const line of lines) {
      const stored = readLine(line, 2);

      expect(stored.hashes).not.toHaveProperty("hash_rule");
      expect(verifyVersion(stored)).toBeUndefined();
      expect(JSON.parse(exportLine(stored))).toEqual(JSON.parse(line));
    }
  });

  it("is refused if a field, even the disk state, was changed", () => {
    const [file = ""] = lines;

    expect(() => readLine(file.replace('"size":27', '"size":28'), 2)).toThrow("was changed");
    expect(() => readLine(file.replace("milk", "mild"), 2)).toThrow("was changed");
  });

  it("is refused if a line claims another rule", () => {
    const [file = ""] = lines;
    const claimed = (rule: number): string => file.replace('"id":', `"hash_rule":${rule},"id":`);

    expect(() => readLine(claimed(2), 2)).toThrow("was changed or damaged");
    expect(() => readLine(claimed(3), 2)).toThrow("hash rule 3; this program supports up to 2");
  });
});

it("a stored version of a later hash rule is named as such", () => {
  const stored = readLine(lines[0] ?? "", 2);
  const later = { ...stored, hashes: { ...stored.hashes, hash_rule: 3 } };

  expect(verifyVersion(later)?.text).toContain("hash rule is 3");
});
