import { describe, expect, it } from "vitest";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ViewRecord } from "../../src/view/view-record.ts";
import { lines, viewStage } from "./view-stage.ts";

describe("a recorded pooled view", () => {
  it("is rebuilt from the JSON of its record when its objects have newer versions", () => {
    const stage = viewStage();
    stage.user("go on");
    stage.call("bash", { command: "a" }, lines(20));
    stage.file("f1", lines(10));
    stage.activate("f1", { isPinned: true, range: { from: 2, to: 4 } });
    const view = stage.view(pooledLayout, { budget: 500 });
    const source = stage.source();
    stage.file("f1", lines(11));
    stage.deactivate("t1");
    stage.view(pooledLayout);

    const record = JSON.parse(JSON.stringify(view.record)) as ViewRecord;
    expect(pooledLayout.rebuild(record, source)).toEqual(view.messages);
  });

  it("is rebuilt with its original budget", () => {
    const stage = viewStage();
    stage.user("go on");
    stage.file("f1", lines(200));
    stage.activate("f1");
    const { messages, record } = stage.view(pooledLayout, { budget: 300 });

    expect(JSON.stringify(messages)).toContain("characters not shown");
    expect(pooledLayout.rebuild(record, stage.source())).toEqual(messages);
  });

  it("names a version that the store does not have", () => {
    const stage = viewStage();
    stage.user("go on");
    stage.file("f1", lines(10));
    stage.activate("f1");
    const { record } = stage.view(pooledLayout);
    const source = { ...stage.source(), object: () => undefined };

    expect(() => pooledLayout.rebuild(record, source)).toThrow(
      new RangeError("f1 version 1, which the view shows, is not in the store"),
    );
  });
});
