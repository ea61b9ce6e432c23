import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { lookExactly } from "../src/exact-names.ts";
import { knownPaths } from "../src/known-paths.ts";
import { recentNames } from "../src/recent-names.ts";
import { searchFolders, wantedFiles } from "../src/search-folders.ts";
import { isTemporaryName } from "../src/temporary-name.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe("the folders of known files", () => {
  it("reach from the root to the file", () => {
    const paths = knownPaths(["/root"]);

    expect(paths.add("/root/a/b/c.txt")).toEqual(["/root", "/root/a", "/root/a/b"]);
    expect(paths.add("/root/a/d.txt")).toEqual([]);
    expect(paths.below("/root/a")).toEqual(["/root/a/d.txt", "/root/a/b/c.txt"]);
  });

  it("reach one above the file's own outside the roots", () => {
    const paths = knownPaths(["/root"]);

    expect(paths.add("/other/a/b/c.txt")).toEqual(["/other/a", "/other/a/b"]);
    expect(paths.add("/c.txt")).toEqual(["/"]);
  });

  it("are removed with the last file that needs them", () => {
    const paths = knownPaths(["/root"]);
    paths.add("/root/a/b/c.txt");
    paths.add("/root/a/d.txt");

    expect(paths.remove("/root/a/b/c.txt")).toEqual(["/root/a/b"]);
    expect(paths.remove("/root/a/d.txt")).toEqual(["/root/a", "/root"]);
    expect(paths.folders.size).toBe(0);
  });
});

describe("temporary names", () => {
  it.each([".a.txt.swp", "4913", "a.txt~", "#a#", ".#a", "a.tmp", "sedAb12Cd", ".a.txt.Xy12z9"])(
    "%s is one",
    (name) => {
      expect(isTemporaryName(name)).toBe(true);
    },
  );

  it.each([
    "a.txt",
    "README",
    ".env",
    "page.tmpl",
    ".eslint.config",
    "a.bak",
    "sedation",
    "1.json",
  ])("do not include %s", (name) => {
    expect(isTemporaryName(name)).toBe(false);
  });
});

describe("a name that differs in its case", () => {
  it("is another name, even if the file system finds the file by its former name", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "readme.md");
    await writeFile(path, "text");
    const recent = recentNames();
    recent.note(join(folder.path, "README.md"), 0);
    const clock = { now: () => 7 };

    const asInsensitive = await lookExactly([path], clock, recent, async () => ["README.md"]);
    const asSensitive = await lookExactly([path], clock, recent);

    expect(asInsensitive).toEqual([{ state: "absent", path, at: 7 }]);
    expect(asSensitive[0]?.state).toBe("file");
  });
});

describe("a search", () => {
  it("ends at its limit", async () => {
    await using folder = await temporaryFolder();
    for (let index = 0; index < 20; index += 1) {
      await mkdir(join(folder.path, `d${index}`, "sub"), { recursive: true });
      await writeFile(join(folder.path, `d${index}`, "sub", "a.txt"), "text");
    }
    const search = { roots: [folder.path], clock: { now: () => 0 } };
    const files = [{ size: 4 }];

    const all = await searchFolders({ ...search, limit: 1_000 }, wantedFiles({ files }), undefined);
    const none = await searchFolders({ ...search, limit: 20 }, wantedFiles({ files }), undefined);

    expect(all).toHaveLength(20);
    expect(none).toEqual([]);
  });

  it("skips folders that tools fill", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "node_modules"));
    await writeFile(join(folder.path, "node_modules", "a.txt"), "text");
    await writeFile(join(folder.path, "b.txt"), "text");
    const search = { roots: [folder.path], clock: { now: () => 0 }, limit: 1_000 };

    const found = await searchFolders(search, wantedFiles({ files: [{ size: 4 }] }), undefined);

    expect(found.map(({ path }) => path)).toEqual([join(folder.path, "b.txt")]);
  });
});
