import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const rule = "eslint/max-lines-per-function";

interface Override {
  readonly files: readonly string[];
  readonly rules: Readonly<Record<string, unknown>>;
}

/** The limit, and the files with a longer function, each with the length of its longest one. */
function listed(): { readonly limit: number; readonly lengths: ReadonlyMap<string, number> } {
  const { overrides } = JSON.parse(
    readFileSync(join(root, "tools", "long-functions.json"), "utf8"),
  ) as { readonly overrides: readonly Override[] };
  const [all, ...others] = overrides.flatMap(({ files: [file = ""], rules }) => {
    const level = rules[rule];
    // The kits for tests have no limit.
    return Array.isArray(level) ? [[file, Number(level[1])] as const] : [];
  });
  // A folder can have a limit of its own, which is lower.
  const files = others.filter(([file]) => !file.includes("*"));
  return { limit: all?.[1] ?? 0, lengths: new Map(files) };
}

/** The length of the longest function of each file that has one above the limit, as the linter counts. */
function longest(files: readonly string[], limit: number): ReadonlyMap<string, number> {
  const folder = mkdtempSync(join(tmpdir(), "long-functions-"));
  const config = join(folder, "oxlint.json");
  writeFileSync(config, JSON.stringify({ rules: { [rule]: ["error", limit] } }));
  const oxlint = join(root, "node_modules", ".bin", "oxlint");
  const { stdout } = spawnSync(oxlint, ["-c", config, "-f", "unix", ...files], {
    cwd: root,
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  const found = new Map<string, number>();
  for (const [, file = "", lines] of stdout.matchAll(/^([^:\n]+):.*too many lines \((\d+)\)/gmu))
    found.set(file, Math.max(found.get(file) ?? 0, Number(lines)));
  return found;
}

// The limit is 120 lines, with comments and blank lines, because a reader scrolls past those too. A file that is listed
// keeps the length that it has: a shorter function gets a lower number here, and a short one leaves the list.
test("the list of files with a function above the limit has their present lengths", () => {
  const { limit, lengths } = listed();

  expect(limit).toBe(120);
  expect(longest([...lengths.keys()], limit)).toEqual(lengths);
});

// These two numbers are only lowered: a function can become longer only by as many lines as another one becomes shorter.
test("the list of files with a function above the limit becomes shorter, and so does the sum of their lengths", () => {
  const lengths = [...listed().lengths.values()];

  expect({
    files: lengths.length,
    lines: lengths.reduce((sum, length) => sum + length, 0),
  }).toEqual({ files: 19, lines: 3_277 });
});
