import { expect, it } from "vitest";

import { wholeResults } from "../src/whole-results.ts";

it("keeps the whole text of a result until it is stored, whatever id its call has then", () => {
  const wholes = wholeResults();
  const text = "line 1\n[... 7 more characters truncated; rerun with narrower args if needed]";
  const content = [{ type: "text", text }];
  const written = { role: "toolResult", toolCallId: "call_1", timestamp: 5, content };
  const listed = { ...written, toolCallId: "call1" };
  wholes.returned("call_1", "line 1\nline 2");

  expect(wholes.written("one", written)).toEqual({ ...written, wholeText: "line 1\nline 2" });
  expect(wholes.listed("one", listed)).toEqual({ ...listed, wholeText: "line 1\nline 2" });
  expect(wholes.listed("two", listed)).toEqual(listed);
  wholes.stored("one");
  expect(wholes.listed("one", listed)).toEqual(listed);
});
