import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callProblem } from "../../page/text/call-problem.ts";
import { epochEndReason } from "@self-context-manager/core/inspect";
import { type DiffRow, diffRows } from "../../page/text/diff-rows.ts";
import { bytes, counted, percent, short, time } from "../../page/text/format.ts";
import { pictureUrl, readMessage } from "../../page/text/message-parts.ts";
import { textChunks, textHead } from "../../page/text/text-chunks.ts";
import { visibleName, visibleText } from "../../page/text/visible-text.ts";
import { epochEndText, knownEnds, missText } from "../../page/text/words.ts";

describe("visible text", () => {
  test("shows controls of direction and other hidden characters by their numbers", () => {
    expect(visibleName("a\u202Egpj.exe")).toBe("a⟨U+202E⟩gpj.exe");
    expect(visibleName("a\nb\u200Dc\u{E0041}")).toBe("a⟨U+000A⟩b⟨U+200D⟩c⟨U+E0041⟩");
    expect(visibleText("a\u2066b\u0000c\uFEFF")).toBe("a⟨U+2066⟩b⟨U+0000⟩c⟨U+FEFF⟩");
  });

  test("is that of a reason which the page does not know", () => {
    expect(epochEndText("later\u202Ereason")).toBe("later⟨U+202E⟩reason");
    expect(missText("later\u202Ereason")).toBe("later⟨U+202E⟩reason");
    expect(epochEndText("compaction")).toBe("the chat was compacted or archived");
  });

  test("keeps lines, tabs, other scripts and joined emoji of a text", () => {
    const text = "tab\there\nשלום مرحبا 👩\u200D💻 é";

    expect(visibleText(text)).toBe(text);
    expect(visibleText("a\r\nb\rc")).toBe("a\nb⟨U+000D⟩c");
  });
});

describe("chunks of a text", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { maxLength: 30 });

  test("are the text when they are joined, and none is longer than a piece may be", () => {
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 2, max: 50 }),
        (lines, most, characters) => {
          const text = lines.join("\n");

          const chunks = textChunks(text, { lines: most, characters });

          expect(chunks.join("")).toBe(text);
          for (const chunk of chunks) {
            expect(chunk.length).toBeGreaterThan(0);
            expect(chunk.length).toBeLessThanOrEqual(characters + 1);
            expect(chunk.slice(0, -1).split("\n").length).toBeLessThanOrEqual(most);
          }
        },
      ),
    );
  });

  test("of a line of five million characters are quick", () => {
    const text = "x".repeat(5_000_000);

    expect(textChunks(text, { lines: 100, characters: 8000 })).toHaveLength(625);
    expect(textHead(text, { lines: 400, characters: 40_000 })).toEqual({
      head: "x".repeat(40_000),
      isWhole: false,
    });
  });

  test("do not part a pair of surrogates", () => {
    expect(textChunks("a😀b", { lines: 1, characters: 2 })).toEqual(["a😀", "b"]);
  });

  test("the head of a text has its first lines, and says whether it is all", () => {
    expect(textHead("a\nb\nc", { lines: 2, characters: 99 })).toEqual({
      head: "a\nb\n",
      isWhole: false,
    });
    expect(textHead("a\nb", { lines: 2, characters: 99 })).toEqual({ head: "a\nb", isWhole: true });
  });
});

describe("rows of a difference", () => {
  const textOf = (row: DiffRow): string =>
    row.type === "fold" ? "" : row.pieces.map(({ text }) => text).join("");
  const flat = (rows: readonly DiffRow[]): readonly DiffRow[] =>
    rows.flatMap((row) => (row.type === "fold" ? row.lines : [row]));

  test("give both texts back", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "one two", "one three", ""), { maxLength: 40 })
      .map((lines) => lines.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = flat(diffRows(before, after) ?? []);
        const side = (without: string): string =>
          rows
            .filter(({ type }) => type !== without)
            .map((row) => `${textOf(row)}\n`)
            .join("");

        expect(side("added")).toBe(before);
        expect(side("removed")).toBe(after);
      }),
    );
  });

  test("mark the words that changed in a line, with the numbers of both lines", () => {
    expect(diffRows("one two\n", "one three\n")).toEqual([
      {
        type: "removed",
        before: 1,
        pieces: [
          { text: "one ", isChanged: false },
          { text: "two", isChanged: true },
        ],
      },
      {
        type: "added",
        after: 1,
        pieces: [
          { text: "one ", isChanged: false },
          { text: "three", isChanged: true },
        ],
      },
    ]);
  });

  test("mark the words of only the first lines of a long change, because that takes long", () => {
    const lines = (word: string): string => `${`some ${word} `.repeat(40)}\n`.repeat(1000);

    const rows = diffRows(lines("old"), lines("new")) ?? [];

    const isMarked = (row: DiffRow | undefined): boolean =>
      row !== undefined && row.type !== "fold" && row.pieces.length > 1;
    expect(rows).toHaveLength(2000);
    expect([rows[0], rows[1000]].map(isMarked)).toEqual([true, true]);
    expect([rows[999], rows[1999]].map(isMarked)).toEqual([false, false]);
  });

  test("fold long runs of equal lines", () => {
    const same = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("");

    const rows = diffRows(`${same}a\n`, `${same}b\n`) ?? [];

    expect(rows.map(({ type }) => type)).toEqual([
      ..."same ".repeat(3).trim().split(" "),
      "fold",
      ..."same ".repeat(3).trim().split(" "),
      "removed",
      "added",
    ]);
    expect(flat(rows)).toHaveLength(22);
  });
});

describe("a message", () => {
  test("that is nested too deeply for a form for people is shown as the text that it is", () => {
    const nested = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const call = `{"type":"toolCall","id":"c","name":"run","arguments":${nested}}`;
    const json = `{"role":"assistant","content":[${call}]}`;

    const { role, parts } = readMessage(json);

    expect(role).toBe("assistant");
    expect(parts).toEqual([{ type: "text", text: json }]);
  });

  test("of Pi has its role, its tool and its parts", () => {
    const json = JSON.stringify({
      role: "toolResult",
      toolName: "read",
      isError: true,
      content: [
        { type: "text", text: "no such file" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
      ],
    });

    expect(readMessage(json)).toEqual({
      role: "toolResult",
      tool: "read",
      isError: true,
      parts: [
        { type: "text", text: "no such file" },
        { type: "image", mediaType: "image/png", data: "AAAA", size: 3 },
      ],
    });
  });

  test("of the AI SDK has its calls and results", () => {
    const json = JSON.stringify({
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm" },
        { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a" } },
        { type: "tool-result", toolName: "read", output: { type: "text", value: "content" } },
      ],
    });

    expect(readMessage(json).parts).toEqual([
      { type: "thinking", text: "hm" },
      { type: "call", name: "read", id: "c1", json: '{\n  "path": "a"\n}' },
      { type: "result", name: "read", text: "content" },
    ]);
  });

  test("of an unknown form is shown as JSON, and text that is no JSON as text", () => {
    expect(readMessage('{"kind":1}').parts).toEqual([
      { type: "json", name: "", json: '{\n  "kind": 1\n}' },
    ]);
    expect(readMessage("oops").parts).toEqual([{ type: "text", text: "oops" }]);
    expect(readMessage("null").parts).toEqual([{ type: "json", name: "", json: "null" }]);
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(readMessage(json).parts).toBeInstanceOf(Array);
      }),
    );
  });

  test("shows pictures of known raster types only", () => {
    expect(pictureUrl("image/png", "AAAA")).toBe("data:image/png;base64,AAAA");
    expect(pictureUrl("image/svg+xml", "AAAA")).toBeUndefined();
    expect(pictureUrl("text/html", "AAAA")).toBeUndefined();
    expect(
      readMessage(
        '{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"<svg>"}]}',
      ).parts[0],
    ).not.toHaveProperty("data");
  });
});

test("numbers have few digits", () => {
  expect([0, 999, 1000, 12_345, 99_950, 999_600, 4_560_000, 977_400_000].map(short)).toEqual([
    "0",
    "999",
    "1.0k",
    "12.3k",
    "100k",
    "1.00M",
    "4.56M",
    "977M",
  ]);
  expect([0, 0.0001, 0.031, 0.42, 1.2, Number.NaN].map(percent)).toEqual([
    "0 %",
    "< 0.1 %",
    "3.1 %",
    "42 %",
    "120 %",
    "–",
  ]);
  expect([counted(1, "call"), counted(3000, "call"), bytes(5_200_000)]).toEqual([
    "1 call",
    "3,000 calls",
    "5.2 MB",
  ]);
  expect([time(undefined), time("yesterday")]).toEqual(["–", "yesterday"]);
});

test("a number that is no call of the session is answered with the calls that it has", () => {
  expect(["1", "310", " 7 "].map((text) => callProblem(text, 1, 310))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(["999", "0", "-3", "", "2.5", "x"].map((text) => callProblem(text, 1, 310))).toEqual(
    Array.from({ length: 6 }, () => "This session has the calls 1 to 310."),
  );
  expect(callProblem("2", 1, 1)).toBe("This session has only call 1.");
});

test.each(knownEnds)("the end of an epoch by %s has the words of the terminal", (reason) => {
  expect(epochEndText(reason)).toBe(epochEndReason(reason));
  expect(epochEndText(reason)).not.toBe(reason);
});
