import * as fc from "fast-check";
import { objectId } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";

// @boundaries-ignore Several packages compare times in this way.
import { growth, linear } from "../../../../tools/growth.ts";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import {
  archivedChat,
  linkProblems,
  missingMessages,
  omissionNotices,
  partNotShown,
  pinnedNotices,
  poolLines,
  setsLine,
} from "../../src/lines/notices.ts";
import {
  changed,
  earlierVersionHeader,
  fieldHeader,
  headers,
  linkedObjects,
  manyChanges,
  metadataLines,
  pooledHeaders,
  referenceLines,
  states,
  titles,
} from "../../src/lines/object-lines.ts";
import {
  chatCut,
  chatLineCut,
  chatLinesHeader,
  chatTurnHeader,
  chatTurnsHeader,
  turnSummaryHeader,
} from "../../src/lines/chat-lines.ts";
import { foldHeader, foldHeaderOfOne } from "../../src/lines/fold-lines.ts";
import { hasOwnLine, isOwnLine, ownLines } from "../../src/lines/own-lines.ts";
import { argumentStubs, fileMark, omissionMarks } from "../../src/lines/stand-ins.ts";

/** Names as strangers choose them: with line breaks, brackets, tildes, marks of other lines, or very long. */
const name = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    "a.ts",
    "a\n[pinned: f1]",
    "x v2 unchanged, shown above]",
    "~~~~",
    "a = b",
    "]\r\n",
  ),
  fc.constantFrom("\u2028[t1 ok, 1 chars]", "\u202Ef1", "v".repeat(5_000)),
);
const handle = fc
  .tuple(fc.constantFrom("f", "t", "n", "c", "s", "e", "v", "o"), fc.nat(200_000))
  .map(([letter, number]) => `${letter}${number}`);
const callHandle = fc.nat(200_000).map((number) => `t${number}`);
const target = fc.oneof(handle, fc.constant("chat"));
const handles = fc.array(handle, { minLength: 1, maxLength: 20 });
const number = fc.nat();
const size = fc.oneof(fc.nat(), fc.nat(20_000), fc.nat({ max: 2 ** 31 - 1 }));
const status = fc.constantFrom("ok" as const, "failed" as const);

const time = fc.constantFrom("2026-11-22T10:00:00.000Z", "1970-01-01T00:00:00.001Z");
const ranges = fc.array(fc.record({ from: number, to: number }), { minLength: 1, maxLength: 5 });
const amount = fc.record({ count: size, unit: fc.constantFrom("characters", "bytes") });

const title = fc.oneof(
  fc.tuple(handle, name, number).map((values) => titles.file.write(...values)),
  fc.tuple(handle, status).map((values) => titles.result.write(...values)),
);
const callTitle = fc.tuple(callHandle, name).map((values) => titles.call.write(...values));
const pooledHeader = fc.oneof(
  fc.tuple(handle, name, number).map((values) => titles.file.write(...values)),
  callTitle,
  fc.tuple(callTitle, ranges, number).map((values) => pooledHeaders.lines.write(...values)),
);
const state = fc.oneof(
  size.map(states.present.write),
  fc.tuple(size, number).map((values) => states.presentVersion.write(...values)),
  size.map(states.failed.write),
  size.map(states.unread.write),
  size.map(states.nonText.write),
  fc.constant(states.missing.write()),
);
const fields = fc.oneof(
  fc.constant("…"),
  fc.tuple(name, name).map(([field, value]) => `${field}=${value}`),
);
const change = fc
  .tuple(name, number, amount, number, amount, number)
  .map((values) => changed.write(...values));
const metadataLine = fc.oneof(
  fc.tuple(handle, name, state).map((values) => metadataLines.usual.write(...values)),
  fc
    .tuple(handle, fc.tuple(name, fields))
    .map((values) => metadataLines.withFields.write(...values)),
);

/** Every kind of line, as it is written with arbitrary values. */
const written: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "the title of a file": fc.tuple(handle, name, number).map((all) => titles.file.write(...all)),
  "the title of a result": title,
  "the title of a call": callTitle,
  "the header of lines": fc
    .tuple(title, number, number, number, fc.boolean())
    .map((all) => headers.lines.write(...all)),
  "the header of a difference": fc
    .tuple(title, number, number, number)
    .map((all) => headers.difference.write(...all)),
  "the header of an unchanged content": title.map(headers.unchanged.write),
  "the header of unchanged lines": fc
    .tuple(title, number, number)
    .map((all) => headers.unchangedLines.write(...all)),
  "the header of a content of which a part is above": fc
    .tuple(title, handle)
    .map((all) => headers.unchangedPart.write(...all)),
  "the line of an object that does not fit": fc
    .tuple(metadataLine, handle)
    .map((all) => referenceLines.withoutRoom.write(...all)),
  "the header of an earlier version": fc
    .tuple(number, handle, name, ranges, number, fc.option(time, { nil: undefined }), fc.boolean())
    .map((all) => earlierVersionHeader.write(...all)),
  "the header of a field": fc
    .tuple(handle, number, name, fc.boolean())
    .map((all) => fieldHeader.write(...all)),
  "the line of linked objects": fc
    .tuple(handle, fc.array(metadataLine, { minLength: 1, maxLength: 5 }))
    .map((all) => linkedObjects.write(...all)),
  "the line of links without a target": fc
    .tuple(handle, name)
    .map((all) => linkProblems.write(...all)),
  "the pooled header of lines": fc
    .tuple(
      fc.oneof(
        callTitle,
        fc.tuple(handle, name, number).map((all) => titles.file.write(...all)),
      ),
      ranges,
      number,
    )
    .map((all) => pooledHeaders.lines.write(...all)),
  "the pooled header without files": fc
    .tuple(pooledHeader, number)
    .map((all) => pooledHeaders.withoutFiles.write(...all)),
  "the pooled header without content": fc
    .tuple(pooledHeader, handle)
    .map((all) => pooledHeaders.withoutRoom.write(...all)),
  "a metadata line": fc.tuple(handle, name, state).map((all) => metadataLines.usual.write(...all)),
  "a metadata line with the type of a file": fc
    .tuple(handle, name, fc.constantFrom("typescript", "c++", "objective-…", "a b\n~~~"), state)
    .map((all) => metadataLines.withType.write(...all)),
  "a metadata line with fields of its own": fc
    .tuple(handle, fc.tuple(name, fields))
    .map((all) => metadataLines.withFields.write(...all)),
  "a reference line": fc
    .tuple(handle, status, size)
    .map((all) => referenceLines.result.write(...all)),
  "a reference line without text": fc
    .tuple(handle, status)
    .map((all) => referenceLines.resultWithoutText.write(...all)),
  "a reference line with fields of its own": fc
    .tuple(handle, status, size, fields)
    .map((all) => referenceLines.resultWithFields.write(...all)),
  "a reference line without text, with fields of its own": fc
    .tuple(handle, status, fields)
    .map((all) => referenceLines.resultWithoutTextWithFields.write(...all)),
  "a reference line without output": fc
    .tuple(handle, status)
    .map((all) => referenceLines.resultWithoutOutput.write(...all)),
  "a reference line with a report": fc
    .tuple(handle, status, name)
    .map((all) => referenceLines.report.write(...all)),
  "a metadata line in brackets": metadataLine.map(referenceLines.metadata.write),
  "the line of a replaced version": fc
    .tuple(handle, number, number)
    .map((all) => referenceLines.replaces.write(...all)),
  "the report of a change": fc
    .tuple(handle, change)
    .map((all) => referenceLines.change.write(...all)),
  "the line of many changes": fc
    .tuple(number, fc.record({ edited: fc.integer({ min: 1 }), moved: number, deleted: number }))
    .map((all) => manyChanges.write(...all)),
  "the report of a change with fields of its own": fc
    .tuple(handle, fc.tuple(change, fields))
    .map((all) => referenceLines.changeWithFields.write(...all)),
  "the notice of pinned objects": handles.map((all) => pinnedNotices.some.write(all)),
  "the notice of no pinned object": fc.constant(pinnedNotices.none.write()),
  "the notice of omitted turns": fc
    .tuple(number, number, target)
    .map((all) => omissionNotices.turns.write(...all)),
  "the notice of omitted steps": fc
    .tuple(number, target)
    .map((all) => omissionNotices.steps.write(...all)),
  "the notice of other messages": target.map(omissionNotices.others.write),
  "the notice of earlier messages": target.map(omissionNotices.earlier.write),
  "the header of a turn of a chat": fc
    .tuple(number, number, fc.constantFrom("chat", "0b1c-2d3e"), number, number, number)
    .map((all) => chatTurnHeader.write(...all)),
  "the header of the turns of a chat": fc
    .tuple(fc.constant(objectId("0b1c-2d3e")), number, number)
    .map((all) => chatTurnsHeader.write(...all)),
  "the header of lines of a chat": fc
    .tuple(fc.constant(objectId("0b1c-2d3e")), number, number, number)
    .map((all) => chatLinesHeader.write(...all)),
  "the header of a text that a model wrote about a turn": fc
    .tuple(fc.constantFrom("short_summary", "long_summary"), number, fc.constant("chat"))
    .map((all) => turnSummaryHeader.write(...all)),
  "the end of lines of a chat": number.map((next) => chatCut.write(next)),
  "the end of a long line of a chat": number.map((at) => chatLineCut.write(at)),
  "the first line of a fold": fc
    .tuple(number, number, target, number)
    .map((all) => foldHeader.write(...all)),
  "the first line of a fold of one call": fc
    .tuple(number, target, number)
    .map((all) => foldHeaderOfOne.write(...all)),
  "a part of a message that is no text": fc
    .constantFrom("image", "image_url", "Odd type!", "")
    .map(partNotShown.write),
  "a missing user message": fc.constant(missingMessages.user.write()),
  "a missing result": fc.constant(missingMessages.result.write()),
  "the title of the pool": fc.constant(poolLines.title.write()),
  "the line of objects that are not listed": number.map(poolLines.notListed.write),
  "the line of the sets": fc
    .tuple(handles, fc.array(handle), fc.array(handle))
    .map((all) => setsLine.write(...all)),
  "an argument stub with a file": fc
    .tuple(number, handle, number)
    .map((all) => argumentStubs.inFile.write(...all)),
  "an argument stub without a file": number.map(argumentStubs.leftOut.write),
  ...Object.fromEntries(
    Object.entries(omissionMarks).map(([kind, mark]) => [
      `the mark of an omission (${kind})`,
      fc.tuple(number, target).map((all) => mark.write(...all)),
    ]),
  ),
  "the line of an archived chat": fc
    .tuple(handle, fc.nat())
    .map(([chat, turns]) => archivedChat.write(chat, turns, chat)),
  "the line of a file that has left": fc
    .tuple(fc.constantFrom("image", "document", "audio", "video"), handle)
    .map((all) => fileMark.write(...all)),
  "a row of a fence": fc.integer({ min: 3, max: 200 }).map((length) => "~".repeat(length)),
};

describe("a line of the context manager", () => {
  it.each(Object.entries(written))("is recognised: %s", (_, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (text) => {
        expect(text.split(/[\n\r\v\f\u0085\u2028\u2029]/u)).toEqual([text]);
        expect([text, isOwnLine(text)]).toEqual([text, true]);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("is recognised inside another text, whatever the break of its line and the blanks around it", () => {
    const breaks = fc.constantFrom("\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\f");
    const around = fc.constantFrom("", " ", "\t", "  ");
    const text = fc.string({ unit: "grapheme" });
    const any = fc.oneof(...Object.values(written));
    fc.assert(
      fc.property(
        text,
        breaks,
        around,
        any,
        breaks,
        text,
        (before, start, blank, own, end, after) => {
          expect(hasOwnLine(`${before}${start}${blank}${own}${blank}${end}${after}`)).toBe(true);
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });

  it("has a test for each kind", () => {
    expect(Object.keys(written)).toHaveLength(Object.values(ownLines).flat().length);
  });
});

describe("a text without such a line", () => {
  it.each([
    ["prose", "The tests passed.\nSee f1 and t3.\n"],
    ["hashes of commits", "e1234567 fix the reader\nf012345 core: v2 of it\n"],
    ["tables", "NAME  SIZE\ns3://bucket 12\nx1 10 20\n"],
    ["Markdown", "- [x] done\n- [ ] open\n[link](a.md)\n"],
    ["a log", "[12:00:01] started\n[info] 3 files\n[f1] loaded\n"],
    ["an empty line", "\n\n"],
    ["two tildes", "~~struck~~\n~~\n"],
  ])("is not recognised: %s", (_, text) => {
    expect(hasOwnLine(text)).toBe(false);
  });
});

describe("recognising", () => {
  it.each([
    ["a bracket that does not close", "[f1 ", "=", "", 200_000],
    ["many versions", "f1 ", " v1", " ", 70_000],
    ["many digits", "[pinned: ", "f1, ", "", 50_000],
    ["many headers", "t1 ", " lines 1-2 of 3", ":", 15_000],
    ["many versions of files", "Version 1 of f1 ", ", lines 1-2 of 3", "", 15_000],
    ["many blanks", "", " ", "x", 200_000],
    ["many fields", "[f1 ", " a=…", "x", 50_000],
    ["many types", "f1 ", " ts 1.3k", " x", 30_000],
    ["many sizes", "f1 ", " 1.3k v", "", 30_000],
    ["a long number", "[", "1", " characters", 200_000],
    ["many lines", "", "f1 a.ts\n[x\n", "", 20_000],
  ])("takes time that grows with the length of the text: %s", (_, before, unit, after, count) => {
    const search = (size: number): void => void hasOwnLine(before + unit.repeat(size) + after);

    expect(growth(search, count)).toBeLessThan(linear);
  });
});
