import { describe, expect, it } from "vitest";

import { readText } from "../../src/models/current-contents.ts";
import { factValues } from "../../src/meter/fact-seen.ts";
import { showsLines } from "../../src/models/found-values.ts";
import type { SeenMessage } from "../../src/models/seen-request.ts";

type Arguments = SeenMessage["calls"][number]["arguments"];

let calls = 0;

/** A call with its result. */
function called(args: Arguments, text: string, isError = false): SeenMessage[] {
  calls += 1;
  const id = `c${String(calls)}`;
  return [
    { role: "assistant", text: "", calls: [{ id, name: "tool", arguments: args }] },
    { role: "tool", text, calls: [], callId: id, isError },
  ];
}

const fact = {
  id: "two",
  pattern: "# South\\n[^#]*?two = (\\d)",
  value: "",
  neededAt: [],
  source: "a.txt",
};

const values = (...messages: readonly SeenMessage[]): readonly string[] =>
  factValues(readText(messages), fact);

const content = "# South\none = 1\ntwo = 2\nthree = 3";
const difference = "@@ -2,3 +2,3 @@\n one = 1\n-two = 2\n+two = 7\n three = 3";
const shown = called({ path: "a.txt" }, `f1 a.txt v1\n~~~\n${content}\n~~~`);

describe("the text that a model reads", () => {
  it("has the content that a difference makes", () => {
    const text = `f1 a.txt v2 replaces v1 above, +1 -1\n~~~\n${difference}\n~~~`;

    expect(values(...shown, ...called({ path: "a.txt" }, text))).toEqual(["2", "7"]);
  });

  it("has the content that an edit makes, in a view and without one", () => {
    const edit = called({ path: "a.txt", edits: [{ oldText: "= 2", newText: "= 8" }] }, "Edited.");
    const plain = called({ path: "a.txt" }, content);

    expect(values(...shown, ...edit)).toEqual(["2", "8"]);
    expect(values(...plain, ...edit)).toEqual(["2", "8"]);
  });

  it("has nothing of an edit that failed, or of a file that is not shown", () => {
    const args = { path: "a.txt", oldText: "= 2", newText: "= 8" };

    expect(values(...shown, ...called(args, "Could not find it.", true))).toEqual(["2"]);
    expect(
      values(...called({ path: "a.txt" }, "[f1 a.txt 40]"), ...called(args, "Edited.")),
    ).toEqual([]);
  });

  it("has arguments without the signs of JSON", () => {
    expect(values(...called({ path: "a.txt", content }, "Wrote it."))).toEqual(["2"]);
  });

  it("has a difference of something that is not shown only as it is", () => {
    const text = `f1 a.txt v2 replaces v1 above, +1 -1\n~~~\n${difference}\n~~~`;

    expect(readText(called({ path: "a.txt" }, text))).toBe(`a.txt\n${text}`);
  });
});

describe("lines", () => {
  it("are shown if each of them is, also at several places", () => {
    expect(showsLines("one = 1\nmore\ntwo = 2\nend", "one = 1\ntwo = 2")).toBe(true);
    expect(showsLines("one = 1\nmore", "one = 1\ntwo = 2")).toBe(false);
  });

  it("can begin and end within a line", () => {
    expect(showsLines("const one = 1;\nconst two = 2;", "one = 1;\nconst two")).toBe(true);
  });
});
