import { expect, test } from "vitest";
import { rebuildMessages } from "../../src/inspect/rebuild-messages.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { Layout } from "../../src/view/layout.ts";
import type { ViewRecord } from "../../src/view/view-record.ts";
import type { ViewSource } from "../../src/view/view-source.ts";

const record: ViewRecord = {
  layout: "broken",
  entries: [],
  turns: 0,
  steps: 0,
  workspace: "/work",
  memory: {},
};

const source: ViewSource = {
  turns: [],
  chatHandle: "chat",
  workspace: "/work",
  object: () => undefined,
};

function brokenLayout(parts: Partial<Layout> = {}): Layout {
  return {
    name: "broken",
    render: (input) => pooledLayout.render(input),
    rebuild() {
      throw new RangeError("f1 version 1 is lost");
    },
    describe: () => [],
    ...parts,
  };
}

test("a view without entries that cannot be rebuilt has the reason as its failure", () => {
  expect(rebuildMessages(brokenLayout(), record, source, new Set())).toEqual({
    messages: [],
    failures: ["f1 version 1 is lost"],
  });
});

test("a layout that cannot remove lost versions from a record leaves the reason of the rebuild", () => {
  const layout = brokenLayout({
    without() {
      throw new TypeError("the record has no pool");
    },
  });

  expect(rebuildMessages(layout, record, source, new Set(["f1@1"]))).toEqual({
    messages: [],
    failures: ["f1 version 1 is lost"],
  });
});
