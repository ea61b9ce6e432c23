import type { SessionStatus } from "@self-context-manager/core";
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

test("the saved tokens are those that the plain host has more", () => {
  expect(statusLine(status, tokens, 6000.4)).toBe("ctx 2/3 active, 3k tokens, 6k saved");
});

test("a view that has more tokens than the plain host's messages saves none", () => {
  expect(statusLine(status, tokens, -200)).toBe("ctx 2/3 active, 3k tokens, 0 saved");
});

test("calls of the context tools are not counted, as in the list of objects", () => {
  expect(statusLine(status, tokens, 0)).toMatch(/^ctx 2\/3 active, /u);
});
