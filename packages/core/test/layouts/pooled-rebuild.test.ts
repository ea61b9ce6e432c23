import type { StoredVersion } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ViewRecord } from "../../src/view/view-record.ts";
import { lines, textsOf, viewStage } from "./view-stage.ts";

describe("a recorded pooled view", () => {
  it("is rebuilt from the JSON of its record, with its budget, when its objects have newer versions", () => {
    const stage = viewStage("go on");
    stage.call("bash", { command: "a" }, lines(20));
    stage.file("f1", lines(200));
    stage.activate("f1", { isPinned: true, ranges: [{ from: 2, to: 150 }] });
    const { messages, record } = stage.view(pooledLayout, { budget: 300 });
    const source = stage.source();
    stage.file("f1", lines(11));
    stage.deactivate("t1");
    stage.view(pooledLayout);

    const stored = JSON.parse(JSON.stringify(record)) as ViewRecord;
    expect(JSON.stringify(messages)).toContain("characters not shown");
    expect(pooledLayout.rebuild(stored, source)).toEqual(messages);
  });

  it("is rebuilt with the line of a file of which only a former content may be shown", () => {
    const stage = viewStage("go on");
    stage.file("f1", lines(5));
    stage.activate("f1");
    stage.view(pooledLayout);
    const former = stage.source().object("f1", 1)?.stored as StoredVersion;
    stage.file("f1", lines(6));
    stage.activate("f1", { stored: former });
    const output = stage.view(pooledLayout);

    const stored = JSON.parse(JSON.stringify(output.record)) as ViewRecord;
    expect(textsOf(output).at(-1)).toBe(
      "[f1 f1.ts changed, v1 95 chars -> v2 114 chars; read it to see v2]\nActive: f1.",
    );
    expect(output.shown.map(({ form }) => form)).toEqual(["replaced"]);
    expect(pooledLayout.rebuild(stored, stage.source())).toEqual(output.messages);
  });

  it("names a version that the store does not have", () => {
    const stage = viewStage("go on");
    stage.file("f1", lines(10));
    stage.activate("f1");
    const { record } = stage.view(pooledLayout);
    const source = { ...stage.source(), object: () => undefined };

    expect(() => pooledLayout.rebuild(record, source)).toThrow(
      new RangeError("f1 version 1, which the view shows, cannot be read from the store"),
    );
  });
});
