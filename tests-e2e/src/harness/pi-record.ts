import { contextTools, toJson } from "@self-context-manager/core/host";
import { isJsonObject } from "@self-context-manager/objects";
import type { JsonValue } from "@self-context-manager/core";

import { readFile } from "node:fs/promises";

import type { PiSdkSession } from "../pi-sdk.ts";

/**
 * Returns Pi's record of a session: its list of messages and the lines of its file, without values that differ
 * between runs.
 */
export async function piRecord(session: PiSdkSession, folder: string): Promise<JsonValue> {
  const lines = (await readFile(session.sessionFile ?? "", "utf8")).trimEnd().split("\n");
  const file = lines.map((line) => toJson(JSON.parse(line)));
  return comparable({ messages: toJson(session.messages), file }, folder);
}

/** The fields that differ between any two runs. */
const volatile: ReadonlySet<string> = new Set([
  "id",
  "parentId",
  "timestamp",
  "usage",
  "durationMs",
  "responseId",
  "cwd",
]);

/**
 * Returns a value without the fields that differ between any two runs and without the declarations of context tools.
 */
function comparable(value: JsonValue, folder: string): JsonValue {
  if (typeof value === "string") return value.replaceAll(folder, "WORK");
  if (isList(value)) {
    return value.filter((one) => !isOwnTool(one)).map((one) => comparable(one, folder));
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, one]) =>
    volatile.has(name) || one === undefined ? [] : [[name, comparable(one, folder)] as const],
  );
  return Object.fromEntries(fields);
}

/** Whether a value is the declaration of a context tool, which later releases keep with the session. */
function isOwnTool(value: JsonValue): boolean {
  return (
    isJsonObject(value) &&
    "description" in value &&
    contextTools.some(({ name }) => name !== "read" && name === value["name"])
  );
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
