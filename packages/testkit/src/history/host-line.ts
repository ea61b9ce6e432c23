import assert from "node:assert/strict";

import type { ModelRequest } from "../harness/model-request.ts";
import { pairingFaults } from "../harness/request-checks.ts";
import type { ScriptedMessage } from "../harness/scripted/scripted-message.ts";
import type { SessionSets } from "./session-sets.ts";

/** A prompt that the model must see. */
export interface Said {
  readonly text: string;
  /** The id of the prompt's message. */
  readonly id: string;
  /** The sets immediately before the prompt, if going back to it must restore exactly these. */
  readonly before: SessionSets | undefined;
}

/** The messages of a session that the model must see, and the list that the host would continue from. */
export interface HostLine {
  readonly messages: readonly ScriptedMessage[];
  readonly said: readonly Said[];
  /** A summary that the user requested. */
  readonly summary: string | undefined;
  /** The states of the session's objects. `undefined`: they are not known. */
  readonly sets: SessionSets | undefined;
}

const token = /«(?:prompt|summary) \d+»/gu;

/** Returns a text that occurs in a history only as one user prompt or one summary. */
export function tokenText(kind: "prompt" | "summary", count: number): string {
  return `«${kind} ${count}»`;
}

/**
 * Checks that a request is legal and contains every prompt once and in order. Under a limit it contains those that
 * fit, and always the newest.
 */
export function checkRequest(
  request: ModelRequest,
  { said, summary }: Pick<HostLine, "said" | "summary">,
  isLimited: boolean,
): void {
  assert.deepEqual(pairingFaults(request), [], "the request is legal");
  const seen = request.messages
    // The notice of turns that left has their words too, also of turns that a summary replaced.
    .filter(({ role, text }) => role === "user" && !text.startsWith("[turns "))
    .flatMap(({ text }) => text.match(token) ?? []);
  const all = [...(summary === undefined ? [] : [summary]), ...said.map(({ text }) => text)];
  if (!isLimited) {
    assert.deepEqual(seen, all, "the request contains every prompt, once and in order");
    return;
  }
  let at = -1;
  for (const text of seen) {
    at = all.indexOf(text, at + 1);
    assert.ok(at !== -1, `${seen.join()} is a part of ${all.join()}`);
  }
  assert.equal(seen.at(-1), all.at(-1), "the request contains the newest prompt");
}
