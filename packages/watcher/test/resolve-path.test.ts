import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

import { diskFiles } from "../src/disk-files.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const files = diskFiles();

function resolve(path: string, base: string): string {
  return files.resolve(path, base);
}

test.each([
  ["src/a.ts", "/base/src/a.ts"],
  ["./src//x/../a.ts", "/base/src/a.ts"],
  ["../other/a.ts", "/other/a.ts"],
  ["/abs/./a.ts", "/abs/a.ts"],
  [".", "/base"],
  ["~", homedir()],
  ["~/a.ts", join(homedir(), "a.ts")],
  ["~ada/a.ts", "/base/~ada/a.ts"],
  ["@src/a.ts", "/base/src/a.ts"],
  ["@/abs/a.ts", "/abs/a.ts"],
  ["@~/a.ts", join(homedir(), "a.ts")],
  ["@@scope", "/base/@scope"],
  ["a\u00A0b\u202Fc.txt", "/base/a b c.txt"],
  [pathToFileURL("/abs/a b.ts").href, "/abs/a b.ts"],
  ["file://%zz", "/base/file:/%zz"],
])("%j means %s", (path, expected) => {
  expect(resolve(path, "/base")).toBe(expected);
});

test.each([
  ["a folder that begins with @", "@types/a.ts"],
  ["a no-break space", "a\u00A0b.txt"],
  ["a name that begins with ~", "~backup"],
])("a file that exists under the name as written has priority: %s", async (_, name) => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "@types"));
  await writeFile(join(folder.path, name), "");

  expect(resolve(name, folder.path)).toBe(join(folder.path, name));
});

test.each([
  ["the narrow space of a screenshot's time", "Shot at 9.41 AM.png", "Shot at 9.41\u202FAM.png"],
  ["a curly apostrophe", "Capture d'ecran.png", "Capture d\u2019ecran.png"],
  ["decomposed accents", "caf\u00E9.txt", "cafe\u0301.txt"],
  ["composed accents", "cafe\u0301.txt", "caf\u00E9.txt"],
  ["both", "l'\u00E9t\u00E9.txt", "l\u2019e\u0301te\u0301.txt"],
])("a file is found by the spelling that people type: %s", async (_, typed, stored) => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, stored), "");

  expect(resolve(typed, folder.path).normalize("NFC")).toBe(
    join(folder.path, stored).normalize("NFC"),
  );
  expect(await files.stat(resolve(typed, folder.path))).toBeDefined();
});
