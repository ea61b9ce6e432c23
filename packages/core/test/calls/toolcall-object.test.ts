import { objectId, type ObjectMetadata } from "@self-context-manager/objects";
import { expect, it } from "vitest";
import { filesInResult, filesLoaded, toolcallBody } from "../../src/calls/toolcall-object.ts";

const reference = {
  ref: "static",
  id: objectId("a"),
  tx_id: 3,
  tx_time: "2026-01-01T00:00:00.000Z",
  content_hash: "",
  metadata_view_hash: "",
  object_hash: "",
} as const;

function call(fields: object): ObjectMetadata {
  const provenance = { origin: "toolcall", generator: "tool" } as const;
  const body = { id: objectId("c"), type: "toolcall", locked: false, provenance };
  return { ...body, file_refs: [reference], ...fields };
}

it.each<readonly [string, object, boolean, boolean]>([
  ["read", { context_tool: true, context_operation: "read" }, true, true],
  ["read of an earlier version of the context manager", { context_tool: true }, true, true],
  ["activate", { context_tool: true, context_operation: "activate" }, false, true],
  ["pin", { context_tool: true, context_operation: "pin" }, false, true],
  ["command that names a file", {}, false, false],
])("the files of a %s", (_, fields, isInResult, isLoaded) => {
  expect(filesInResult(call(fields))).toEqual(isInResult ? [reference] : []);
  expect(filesLoaded(call(fields))).toEqual(isLoaded ? [reference] : []);
});

it.each([
  ["ok", { isError: false }],
  ["fail", { isError: true }],
  ["fail", { isError: false, hasFailed: true }],
] as const)("a call has the status %s and the host's own mark: %j", (status, marks) => {
  const content = [{ type: "text", text: "out" }] as const;
  const names = { toolCallId: "c", toolName: "bash" };
  const result = { role: "toolResult", ...names, content, ...marks } as const;
  const facts = { id: objectId("c"), args: {}, chatRef: reference, fileRefs: [] };

  const body = toolcallBody({ ...facts, result });

  expect(body["status"]).toBe(status);
  expect(body["is_error"]).toBe(marks.isError);
});
