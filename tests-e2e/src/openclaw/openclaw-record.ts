import { isJsonObject } from "@self-context-manager/objects";
import { toJson } from "@self-context-manager/core/host";
import type { JsonValue } from "@self-context-manager/core";

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";

/** Returns the events of an agent's sessions in the gateway's database, in their order. */
export function transcriptEvents(state: string, agent: string): readonly JsonValue[] {
  const path = join(state, "agents", agent, "agent", "openclaw-agent.sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database
      .prepare("SELECT event_json, event_zstd FROM transcript_events ORDER BY session_id, seq")
      .all();
    return rows.map(({ event_json: text, event_zstd: packed }) =>
      toJson(
        JSON.parse(
          packed instanceof Uint8Array ? zstdDecompressSync(packed).toString("utf8") : String(text),
        ),
      ),
    );
  } finally {
    database.close();
  }
}

/** Returns the messages that the gateway has stored for an agent, without values that differ between runs. */
export function openClawRecord(state: string, agent: string, folder: string): JsonValue {
  return transcriptEvents(state, agent)
    .filter((event) => isJsonObject(event) && event["type"] === "message")
    .map((event) => comparable(isJsonObject(event) ? (event["message"] ?? null) : null, folder));
}

/** The fields that differ between any two runs. */
const volatile: ReadonlySet<string> = new Set([
  "timestamp",
  "idempotencyKey",
  "usage",
  "responseId",
  "runId",
  "durationMs",
  "startedAt",
  "pid",
  "sessionId",
  "cwd",
]);

function comparable(value: JsonValue, folder: string): JsonValue {
  if (typeof value === "string") return value.replaceAll(folder, "WORK");
  if (Array.isArray(value)) return value.map((one: JsonValue) => comparable(one, folder));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, one]) =>
    volatile.has(name) || one === undefined ? [] : [[name, comparable(one, folder)] as const],
  );
  return Object.fromEntries(fields);
}
