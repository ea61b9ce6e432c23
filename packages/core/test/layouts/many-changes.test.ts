import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { renderEntry } from "../../src/render/render-entry.ts";
import { readEntryRow, entryRow } from "../../src/view/entry-row.ts";
import { lines, textsOf, type ViewStage, viewAfterPause, viewStage } from "./view-stage.ts";

const layout = epochLayout({ small: 0 });

/** Returns a session with the texts of files in view, `f1` and so on, which are no longer active. */
function readFiles(count: number): ViewStage {
  const stage = viewStage("go");
  for (const handle of handlesTo(count)) {
    stage.file(handle, lines(3));
    stage.read(handle);
  }
  stage.view(layout);
  for (const handle of handlesTo(count)) stage.deactivate(handle);
  return stage;
}

function handlesTo(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `f${index + 1}`);
}

function switchBranch(stage: ViewStage, count: number): void {
  for (const [index, handle] of handlesTo(count).entries()) {
    if (index % 3 === 0) stage.file(handle, lines(4));
    else stage.moved(handle, index % 3 === 1 ? `/work/elsewhere/${handle}.ts` : null);
  }
}

describe("files in view that others changed at once", () => {
  it("are one line with a count if there are more than ten", () => {
    const stage = readFiles(12);
    const before = textsOf(stage.view(layout));
    switchBranch(stage, 12);

    expect(textsOf(stage.view(layout)).slice(before.length)).toEqual([
      "[12 known files changed on disk: 4 edited, 4 moved, 4 deleted; activate takes their paths]",
    ]);
  });

  it("have a line each if there are ten", () => {
    const stage = readFiles(10);
    const before = textsOf(stage.view(layout));
    switchBranch(stage, 10);

    expect(textsOf(stage.view(layout)).slice(before.length)).toHaveLength(10);
  });

  it("are counted once, and a later change of one of them is named", () => {
    const stage = readFiles(12);
    switchBranch(stage, 12);
    const before = textsOf(stage.view(layout));

    expect(textsOf(stage.view(layout))).toEqual(before);
    stage.file("f1", lines(5));
    expect(textsOf(stage.view(layout)).slice(before.length)).toEqual([
      "[f1 f1.ts changed, v1 57 chars -> v3 95 chars; read it to see v3]",
    ]);
  });

  it("are not counted if they are active", () => {
    const stage = readFiles(13);
    stage.activate("f1");
    const before = textsOf(stage.view(layout));
    switchBranch(stage, 13);

    expect(textsOf(stage.view(layout)).slice(before.length)).toEqual([
      expect.stringMatching(/^f1 f1\.ts v2/u),
      "[12 known files changed on disk: 4 edited, 4 moved, 4 deleted; activate takes their paths]",
    ]);
  });

  it("give the same bytes when the stored view is rendered again", () => {
    const stage = readFiles(12);
    switchBranch(stage, 12);
    const { record, messages } = stage.view(layout);

    const again = record.entries.map((entry) => readEntryRow(entryRow(entry)));

    expect(again.map((entry) => renderEntry(entry, stage.source()))).toEqual(messages);
    expect(layout.needs?.({ ...record, entries: again.slice(-1) }, [])).toEqual([]);
  });

  it("are named by a line when their text leaves the view", () => {
    const stage = readFiles(12);
    switchBranch(stage, 12);
    stage.view(layout);

    const unfolded = epochLayout({ small: 0, folds: undefined });
    const texts = textsOf(viewAfterPause(stage, unfolded));

    expect(texts.join("\n")).not.toContain("known files changed");
    for (const handle of handlesTo(12))
      expect(texts.join("\n")).toMatch(new RegExp(`\\[${handle} .*(v2|deleted)\\]`, "u"));
  });

  it("are named by a fold of the steps that read them, with what was deleted", () => {
    const stage = readFiles(12);
    switchBranch(stage, 12);
    stage.view(layout);

    const text = textsOf(viewAfterPause(stage, layout)).join("\n");

    expect(text).toContain("read: f2 elsewhere/f2.ts, f3 f3.ts deleted, f4 f4.ts,");
  });

  it("keep a line that names one of them, with its newest version", () => {
    const stage = readFiles(12);
    stage.moved("f1", "/work/f1.old.ts");
    stage.view(layout);
    switchBranch(stage, 12);
    stage.view(layout);

    const texts = textsOf(viewAfterPause(stage, layout));

    expect(texts.filter((one) => one.includes("[f1 "))).toEqual(["[f1 f1.ts 76 v3]"]);
  });
});
