import type { SessionStatus } from "@self-context-manager/core";
import {
  defined,
  type DynamicReference,
  type ObjectId,
  type ObjectStore,
  type StoredMetadata,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";
import * as fc from "fast-check";

import { sequenceFaults } from "../layout/sequence-faults.ts";
import { type CreatePlace, testScale } from "@self-context-manager/store-contract";
import { type HistoryHost, openHistoryHost } from "./history-host.ts";
import type { BreakingPlugin, OpenTriedSession } from "./history-session.ts";
import { sessionHistory, type SessionHistory, type SessionMove } from "./session-move.ts";

export interface SessionHistories {
  /** Creates places whose store survives closing, so that a session can be resumed on it. */
  readonly createPlace: CreatePlace;
  readonly openSession: OpenTriedSession;
  readonly runs: number;
  /** Histories that are tried before the random ones. They count in `runs`. */
  readonly examples?: readonly SessionHistory[];
  /** Parts of a faulty adapter that the check must detect. */
  readonly breaking?: BreakingPlugin;
}

/**
 * Runs random histories of a host through the scripted harness: append, replay, truncate, compact, branch, fork,
 * resume, crash. Throws if a user message is lost, a deactivated object becomes active by itself, an object exists
 * twice, the output is illegal, or a reopened session would send other bytes.
 */
export async function checkSessionHistories(histories: SessionHistories): Promise<void> {
  const { runs, examples = [], ...parts } = histories;
  await fc.assert(
    fc.asyncProperty(sessionHistory, async (history) => await live(parts, history)),
    {
      numRuns: runs,
      seed: testScale.seed,
      endOnFailure: false,
      examples: examples.map((history) => [history]),
    },
  );
}

async function live(
  { createPlace, openSession, breaking }: Omit<SessionHistories, "runs" | "examples">,
  { moves, ...manner }: SessionHistory,
): Promise<void> {
  await using place = await createPlace();
  await using host = await openHistoryHost({ place, openSession, breaking, ...manner });
  for (const move of moves) {
    await make(host, move);
    await checkReopened(host, manner.contextWindow);
  }
  await checkStore(host);
}

async function make(host: HistoryHost, move: SessionMove): Promise<void> {
  const prompts = host.promptCount();
  switch (move.type) {
    case "run":
      return await host.run(move);
    case "branch":
      return prompts === 0 ? undefined : await host.branch(move.prompt % prompts, move.isReported);
    case "return":
      return await host.returnTo(move.branch % Math.max(1, host.abandonedCount()));
    case "fork":
      return prompts === 0 ? undefined : await host.fork(move.prompt % prompts);
    case "switch":
      return await host.switchTo(move.session % Math.max(1, host.sessionCount()));
    case "replay":
      return await host.replay();
    case "truncate":
      return host.truncate(move.count);
    case "compact":
      return await host.compact(move.by);
    case "resume":
      return await host.resume();
    case "crash":
      return await host.crash(move, move.lost, move.run);
    case "off":
      return await host.runOff(move.run);
  }
}

/** Returns a status without the ids of a session that may not be stored yet: then each process has its own. */
function comparable(status: SessionStatus): Partial<SessionStatus> {
  if (status.objects.length > 0 || status.turnCount > 0) return status;
  const { sessionId: _session, chatId: _chat, ...rest } = status;
  return rest;
}

/** Checks that another process that opens the session now has the same sets and would send the same bytes. */
async function checkReopened(host: HistoryHost, contextWindow: number | undefined): Promise<void> {
  const session = host.session();
  const options = defined({ contextWindow });
  const live = await session.session();
  const { messages } = await live.peekView(options);
  assert.deepEqual(sequenceFaults(messages), [], "the view is legal");
  const again = await session.openAgain();
  assert.deepEqual(
    comparable(await again.status()),
    comparable(await live.status()),
    "a reopened session has the same sets",
  );
  assert.equal(
    JSON.stringify((await again.peekView(options)).messages),
    JSON.stringify(messages),
    "a reopened session sends the same bytes",
  );
}

/** Checks that no object exists twice and that the store still holds every abandoned branch. */
async function checkStore(host: HistoryHost): Promise<void> {
  const store = host.store();
  const made = new Set((await store.changesSince()).versions.map(({ body }) => body.id));
  const known = new Map<string, ObjectId>();
  for (const stored of await store.describe([...made])) {
    const name = stored === undefined ? undefined : nameOf(stored);
    if (stored === undefined || name === undefined) continue;
    const other = known.get(name);
    assert.equal(other, undefined, `${name} is one object`);
    known.set(name, stored.body.id);
  }
  for (const [sessionId, texts] of host.said) {
    const id = known.get(sessionName(sessionId));
    const said = id === undefined ? "" : await everSaid(store, id);
    const lost = [...texts].filter((text) => !said.includes(text));
    assert.deepEqual(lost, [], "abandoned branches stay in the store");
  }
}

/** Returns a name that only one object may have. Returns `undefined` for objects that may exist more than once. */
function nameOf({ body }: StoredMetadata): string | undefined {
  switch (body.type) {
    case "file":
      return `file ${JSON.stringify(body["path"])}`;
    case "toolcall":
      return `call ${JSON.stringify(body["provider_id"] ?? body.id)}`;
    case "session":
      return sessionName(body["session_id"]);
    default:
      return undefined;
  }
}

function sessionName(sessionId: unknown): string {
  return `session ${JSON.stringify(sessionId)}`;
}

/** Returns the turns of every version of a session's chat, as text. */
async function everSaid(store: ObjectStore, session: ObjectId): Promise<string> {
  const stored = await store.get(session);
  if (stored === undefined) return "";
  const { id } = stored.body["chat_ref"] as DynamicReference;
  const texts: string[] = [];
  for (const { version } of await store.history(id)) {
    const chat = await store.get(id, { version });
    texts.push(JSON.stringify(chat?.body["turns"]));
  }
  return texts.join("\n");
}
