import type { ObjectId, ObjectStore } from "@self-context-manager/objects";

import type { CallAnswer, SnapshotCall, SnapshotData } from "../../src/answers.ts";
import { callPath, snapshotCall } from "../../src/snapshot/snapshot-call.ts";
import { type SnapshotOptions, writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { inspected } from "../recorded-session.ts";

export const testFiles = {
  script: 'console.log("</script><script>");',
  style: "body { color: black }",
};

/** Writes a snapshot into a text. */
export async function snapshotText(
  store: ObjectStore,
  session: ObjectId,
  options: Partial<SnapshotOptions> = {},
): Promise<string> {
  const pieces: string[] = [];
  const at = "2026-01-02T03:04:05.000Z";
  for await (const piece of writeSnapshot({
    ...inspected(store),
    session,
    at,
    files: testFiles,
    ...options,
  }))
    pieces.push(piece);
  // The file has the bytes of UTF-8, so what they cannot hold would be lost.
  return Buffer.from(pieces.join(""), "utf8").toString("utf8");
}

/** The data of a snapshot, found as a browser finds it: up to the first end of the element. */
export function dataOf(html: string): SnapshotData {
  const start = '<script type="application/json" id="snapshot">';
  const from = html.indexOf(start) + start.length;
  return JSON.parse(html.slice(from, html.toLowerCase().indexOf("</script", from))) as SnapshotData;
}

/** The whole answer of a call. */
export function callIn(data: SnapshotData, session: ObjectId, call: number): CallAnswer {
  return snapshotCall(data, data.answers[callPath(session, call)] as SnapshotCall);
}
