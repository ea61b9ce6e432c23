import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);

describe("the page that maps the build plan's tests", () => {
  it("names tests that are there", async () => {
    const page = await readFile(new URL("docs/architecture/build-plan-tests.md", root), "utf8");
    const rows = [...page.matchAll(/\| `([\w./-]+)`\s*\| (.+?)\s*\|$/gmu)];

    const missing: string[] = [];
    for (const [, file = "", name = ""] of rows) {
      const source = await readFile(new URL(file, root), "utf8");
      if (!source.includes(`"${name}"`)) missing.push(`${file}: ${name}`);
    }

    expect(missing).toEqual([]);
    expect(rows.length).toBeGreaterThan(25);
  });
});
