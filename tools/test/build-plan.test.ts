import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const specification = readFileSync(join(root, "docs", "specification.md"), "utf8");
const [, section = ""] = /^### Build plan$(.*?)^### /msu.exec(specification) ?? [];
/** The text of each phase, with its heading. */
const phases = section.split(/^(?=#### )/mu).slice(1);

/** The rows of a phase that name a test: the file, and the test or the law. */
function namedTests(phase: string): readonly (readonly [file: string, name: string])[] {
  const rows = phase.matchAll(/^\|[^|]*\| +`([^`|]+)` +\| +(`+)(.+?)\2 +\|$/gmu);
  return [...rows].map(([, file = "", , name = ""]) => [file, name.trim()]);
}

/** Whether a text has the name as the title of a test, or as a key of an object with the laws. */
function hasTest(text: string, name: string): boolean {
  return ['"', "'", "`"].some((mark) => {
    const literal = `${mark}${name}${mark}`;
    return text.includes(`${literal},`) || text.includes(`${literal}:`);
  });
}

describe("the phases of the build plan", () => {
  test.each(phases.map((phase) => [phase.split("\n")[0], phase]))(
    "each row of %s names a test",
    (_, phase = "") => {
      const rows = phase.split("\n").filter((line) => line.startsWith("|"));

      // The first two rows of a table are its head.
      expect(namedTests(phase)).toHaveLength(rows.length - 2);
    },
  );

  test.each(phases.flatMap(namedTests))("%s has the test %s", (file, name) => {
    const path = join(root, file);

    expect(existsSync(path) && hasTest(readFileSync(path, "utf8"), name)).toBe(true);
  });

  test("are found in the specification", () => {
    expect(phases.flatMap(namedTests).length).toBeGreaterThan(phases.length);
  });
});
