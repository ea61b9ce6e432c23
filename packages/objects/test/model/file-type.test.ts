import { describe, expect, it } from "vitest";
import { fileType } from "../../src/model/file-type.ts";

describe("the type of a file", () => {
  it.each([
    ["/a/b.ts", "typescript"],
    ["/a/B.TSX", "typescript"],
    ["/a/notes.md", "markdown"],
    ["/a/x.test.py", "python"],
    ["/a/Makefile", "makefile"],
    ["/a/Dockerfile", "dockerfile"],
    ["/a/.gitignore", "text"],
    ["/a/LICENSE", "text"],
    ["/a/no-extension", "text"],
    ["/a.ts/no-extension", "text"],
    ["/a/x.constructor", "text"],
    ["/a/toString", "text"],
    ["C:\\a\\b.rs", "rust"],
    ["/a/ends-with-dot.", "text"],
  ])("of %s is %s", (path, expected) => {
    expect(fileType(path, true)).toBe(expected);
  });

  it("is binary for a file that is not text, whatever its name", () => {
    expect(fileType("/a/b.ts", false)).toBe("binary");
  });
});
