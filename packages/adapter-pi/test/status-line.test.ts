import type { SessionStatus, View } from "@self-context-manager/core";
import { expect, test } from "vitest";

import { statusLine } from "../src/status-line.ts";

const listed = (state: string, body = {}): object => ({ state, stored: { body } });
const status = {
  activeCount: 3,
  objects: [
    listed("active"),
    listed("pinned"),
    listed("inactive"),
    listed("active", { context_tool: true }),
  ],
} as unknown as SessionStatus;
const tokens = { metadata: 100, chat: 900, active: 2000 };

test("the saved tokens are counted like the sent ones, independent of the host's own count", () => {
  const epoch = { promptTokens: 2000, appendOnlyTokens: 6000 };
  const view = { tokens, epoch } as unknown as View;

  expect(statusLine(status, view, 0)).toBe("ctx 2/3 active, 3k tokens, 6k saved");
  expect(statusLine(status, view, 1_000_000)).toBe("ctx 2/3 active, 3k tokens, 6k saved");
});

test("if a layout does not report append-only tokens, the host's messages are counted", () => {
  expect(statusLine(status, { tokens }, 7000)).toBe("ctx 2/3 active, 3k tokens, 4k saved");
  expect(statusLine(status, { tokens }, 1000)).toBe("ctx 2/3 active, 3k tokens, 0 saved");
});

test("calls of the context tools are not counted, as in the list of objects", () => {
  expect(statusLine(status, { tokens }, 0)).toMatch(/^ctx 2\/3 active, /u);
});
