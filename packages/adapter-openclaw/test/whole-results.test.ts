import { expect, it } from "vitest";

import { openClawCodec } from "../src/openclaw-messages.ts";
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

it.each([
  ["line 1\nline 2", false],
  ["line 1\n[... 9 chars truncated; use another way]", true],
])("the whole text %j is kept in part: %s", (wholeText, isInPart) => {
  const content = [{ type: "text", text: "line[... 30 chars truncated; use another way]" }];
  const result = { role: "toolResult", toolCallId: "c", toolName: "exec", content, wholeText };

  expect("isKeptInPart" in openClawCodec.decode(result)).toBe(isInPart);
});
