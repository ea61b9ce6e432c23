import assert from "node:assert/strict";

import type { ModelRequest } from "../harness/model-request.ts";
import { pairingFaults } from "../harness/request-checks.ts";
import type { ScriptedMessage } from "../harness/scripted/scripted-message.ts";
import type { SessionSets } from "./session-sets.ts";

/** A prompt that the model has to see. */
export interface Said {
  readonly text: string;
  /** Of its message. */
  readonly id: string;
  /** The sets right before it, where going back to it is to bring exactly these. */
  readonly before: SessionSets | undefined;
}

/** What the model has to see of a session, and where the host would go on from. */
export interface HostLine {
  readonly messages: readonly ScriptedMessage[];
  readonly said: readonly Said[];
  /** A summary that the user asked for. */
  readonly summary: string | undefined;
  /** Where the session's objects stand; undefined where that cannot be told. */
  readonly sets: SessionSets | undefined;
}

const token = /«(?:prompt|summary) \d+»/gu;

/** A text that is a user's prompt, or a summary, and nothing else in a history. */
export function tokenText(kind: "prompt" | "summary", count: number): string {
  return `«${kind} ${count}»`;
}

/** A request is legal and holds every prompt, once and in order; under a limit those that have room, and the newest. */
export function checkRequest(
  request: ModelRequest,
  { said, summary }: Pick<HostLine, "said" | "summary">,
  isLimited: boolean,
): void {
  assert.deepEqual(pairingFaults(request), [], "the request is legal");
  const seen = request.messages
    .filter(({ role }) => role === "user")
    .flatMap(({ text }) => text.match(token) ?? []);
  const all = [...(summary === undefined ? [] : [summary]), ...said.map(({ text }) => text)];
  if (!isLimited) {
    assert.deepEqual(seen, all, "every prompt is there, once and in order");
    return;
  }
  let at = -1;
  for (const text of seen) {
    at = all.indexOf(text, at + 1);
    assert.ok(at !== -1, `${seen.join()} is a part of ${all.join()}`);
  }
  assert.equal(seen.at(-1), all.at(-1), "the newest prompt is there");
}
