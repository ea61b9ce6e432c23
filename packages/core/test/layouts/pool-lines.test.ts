import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { LayoutOutput } from "../../src/view/layout.ts";
import type { ViewRecord } from "../../src/view/view-record.ts";
import { lines, textsOf, viewStage } from "./view-stage.ts";

/** Returns the lines of the list of known objects, without its title. */
function listOf(view: LayoutOutput): readonly string[] {
  const [text = ""] = textsOf(view);
  return text.startsWith("Known objects") ? text.split("\n").slice(1) : [];
}

function withFiles(count: number): ReturnType<typeof viewStage> {
  const stage = viewStage("go");
  for (let file = 1; file <= count; file += 1) stage.file(`f${file}`, lines(2));
  return stage;
}

describe("the list of known objects", () => {
  test("keeps each line in place and gets a new one for an object that has changed", () => {
    const stage = withFiles(2);
    const before = listOf(stage.view(pooledLayout));
    stage.file("f1", lines(3));
    stage.change("f2", { presence: "missing", path: null });
    stage.file("f3", lines(1));

    expect(before).toEqual(["f1 f1.ts 38", "f2 f2.ts 38"]);
    expect(listOf(stage.view(pooledLayout))).toEqual([
      ...before,
      "f1 f1.ts 57 v2",
      "f2 f2.ts deleted",
      "f3 f3.ts 19",
    ]);
  });

  test("gets no line for a new version that would have the same one", () => {
    const stage = viewStage("go");
    const call = stage.call("bash", { command: "a" }, lines(2));
    const before = listOf(stage.view(pooledLayout));
    stage.change(call, { short_summary: "Two lines." });
    const view = stage.view(pooledLayout);

    expect(listOf(view)).toEqual(before);
    expect(pooledLayout.rebuild(view.record, stage.source())).toEqual(view.messages);
  });

  test("is the same if another process continues from the stored record", () => {
    const stage = withFiles(3);
    stage.view(pooledLayout);
    stage.file("f2", lines(5));
    const { record } = stage.view(pooledLayout);
    stage.file("f2", lines(7));
    const here = stage.view(pooledLayout);

    const stored = JSON.parse(JSON.stringify(record)) as ViewRecord;
    expect(pooledLayout.needs?.(record, [])).toEqual([]);
    expect(pooledLayout.needs?.(stored, [], (_, version) => version === 3)).toEqual([
      "f1@1",
      "f2@1",
      "f3@1",
      "f2@2",
    ]);
    expect(listOf(stage.again(pooledLayout, stored))).toEqual(listOf(here));
  });

  test("begins again in another workspace, and after a view of another layout", () => {
    const stage = withFiles(1);
    stage.view(pooledLayout);
    stage.file("f1", lines(5));
    const { record } = stage.view(pooledLayout);

    const elsewhere = { ...record, workspace: "/other" };
    const other = { ...record, layout: "epoch" };
    for (const last of [undefined, elsewhere, other])
      expect(listOf(stage.again(pooledLayout, last))).toEqual(["f1 f1.ts 95 v2"]);
  });

  test("has the type of a file", () => {
    const stage = withFiles(1);
    stage.change("f1", { file_type: "typescript", nickname: "plan" });

    expect(listOf(stage.view(pooledLayout))).toEqual(["f1 f1.ts (plan) typescript 38 v2"]);
  });
});

describe("the list of known objects on a small budget (D54)", () => {
  const notice = /^\((\d+) earlier lines are not listed; activate takes the paths and handles/u;

  test("is shortened so that pinned content stays whole", () => {
    const stage = withFiles(60);
    stage.activate("f7", { isPinned: true });
    stage.file("f7", lines(100));
    stage.activate("f8");
    const view = stage.view(pooledLayout, { budget: 760 });

    expect(textsOf(view).join("\n")).toContain("line 100 of the text");
    expect(view.shown).toMatchObject([{ form: "whole" }, { form: "whole" }]);
    expect(listOf(view)[0]).toMatch(notice);
    expect(listOf(view).length).toBeLessThan(30);
  });

  test("keeps the notice of missing lines beside pinned content that is too large", () => {
    const stage = withFiles(60);
    stage.activate("f7", { isPinned: true });
    stage.file("f7", lines(400));
    const view = stage.view(pooledLayout, { budget: 400 });

    expect(view.shown).toMatchObject([{ form: "part" }]);
    expect(listOf(view)[0]).toMatch(notice);
  });

  test("goes before contents that are neither pinned nor just activated", () => {
    const stage = withFiles(60);
    for (const file of ["f1", "f2"]) {
      stage.file(file, lines(60));
      stage.activate(file);
      stage.view(pooledLayout, { budget: 700 });
    }
    const view = stage.view(pooledLayout, { budget: 700 });

    expect(view.shown).toMatchObject([{ form: "part" }, { form: "whole" }]);
    expect(listOf(view).length).toBeGreaterThan(5);
  });

  test("leaves its room to contents that were just activated, also if they are shown in part", () => {
    const stage = withFiles(60);
    stage.view(pooledLayout, { budget: 1_000 });
    stage.file("f1", lines(400));
    stage.activate("f1");
    const view = stage.view(pooledLayout, { budget: 1_000 });

    expect(view.shown).toMatchObject([{ form: "part" }]);
    expect(view.tokens.active).toBeGreaterThan(700);
    expect(listOf(view)[0]).toMatch(notice);
    expect(stage.view(pooledLayout, { budget: 1_000 }).messages).toEqual(view.messages);
  });

  test("keeps its beginning from call to call, and has all lines again if they fit well", () => {
    const stage = withFiles(40);
    const first = listOf(stage.view(pooledLayout, { budget: 250 }));
    stage.file("f41", lines(2));
    const second = listOf(stage.view(pooledLayout, { budget: 260 }));
    const narrow = listOf(stage.view(pooledLayout, { budget: 330 }));
    const wide = listOf(stage.view(pooledLayout, { budget: 2_000 }));

    expect(first[0]).toMatch(notice);
    expect(second).toEqual([...first, "f41 f41.ts 38"]);
    expect(narrow).toEqual(second);
    expect(wide).toHaveLength(41);
  });

  test("never lets a view exceed the budget, and is rebuilt in the same way", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 900 }),
        fc.array(fc.tuple(fc.nat(11), fc.nat(30), fc.boolean()), { maxLength: 12 }),
        (budget, changes) => {
          const stage = withFiles(12);
          for (const [file, count, isPinned] of changes) {
            stage.file(`f${file + 1}`, lines(count));
            stage.activate(`f${file + 1}`, { isPinned });
            const { messages, record, tokens } = stage.view(pooledLayout, { budget });

            expect(tokens.metadata + tokens.chat + tokens.active).toBeLessThanOrEqual(budget);
            const stored = JSON.parse(JSON.stringify(record)) as ViewRecord;
            expect(pooledLayout.rebuild(stored, stage.source())).toEqual(messages);
          }
        },
      ),
    );
  });
});
