import {
  epochLayout,
  type Message,
  type ObjectStore,
  recentlyUsedPolicy,
  type ViewMessage,
  readList,
} from "@self-context-manager/core";
import { testScale } from "@self-context-manager/store-contract";
import { hostEvent, messagesOf, sequenceFaults } from "@self-context-manager/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { caseCount } from "../src/case-count.ts";
import {
  openTestSession,
  plainCodec,
  textOfMessage,
  versionCount,
} from "../src/session/core-sessions.ts";
import { branched, compacted } from "../src/session/host-lists.ts";

const { isLong, seed } = testScale;
const numRuns = caseCount({ long: 5_000, changed: 60, unchanged: 30 });
const timeout = isLong ? 3_600_000 : 240_000;

/** The host's changes of its list between two model calls. */
const hostMove = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("append" as const),
      events: fc.array(hostEvent, { maxLength: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("replay" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("truncate" as const), keep: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("compact" as const), keep: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("branch" as const), keep: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reopen" as const) }) },
);

const ids = { call: 0 };

describe("a session through any history of its host", () => {
  it(
    "sends legal sequences, keeps the newest user message, and is identical after a resume",
    { timeout },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(hostMove, { minLength: 1, maxLength: 8 }), async (moves) => {
          const opened = await openTestSession();
          let { session } = opened;
          let messages: Message[] = [{ role: "user", content: "begin", timestamp: 1 }];
          const from = { time: 10, calls: ids.call };
          for (const move of moves) {
            messages = moved(messages, move, from);
            if (move.type === "reopen") session = await opened.reopen();
            await session.ingest(readList(messages, plainCodec));
            const view = await session.nextView();

            expect(sequenceFaults(view.messages)).toEqual([]);
            const newest = promptsIn(messages).findLast((text) => text.trim() !== "");
            // A prompt that is only an image can follow, and the image of this one can then have left.
            const isShown = promptsIn(view.messages).some(
              (text) => newest !== undefined && text.startsWith(newest.trimEnd()),
            );
            // After the user went back, the host's list can have no prompt with a text.
            expect(isShown).toBe(newest !== undefined);

            const before = await versionCount(opened.store);
            await session.ingest(readList(messages, plainCodec));
            const again = await opened.reopen();
            await again.ingest(readList(messages, plainCodec));
            expect(JSON.stringify((await again.nextView()).messages)).toBe(
              JSON.stringify(view.messages),
            );
            expect(await versionCount(opened.store)).toBe(before);
          }
        }),
        { numRuns, seed },
      );
    },
  );

  it(
    "has the same views and objects with one operation as with two, in fewer commits",
    { timeout },
    async () => {
      const layout = epochLayout({ small: 10, largeArguments: 20 });
      const policy = recentlyUsedPolicy({ alive: 4, kept: 1 });
      await fc.assert(
        fc.asyncProperty(fc.array(hostMove, { minLength: 1, maxLength: 8 }), async (moves) => {
          const one = await openTestSession({ layout, policy });
          const two = await openTestSession({ layout, policy });
          let messages: Message[] = [{ role: "user", content: "begin", timestamp: 1 }];
          const from = { time: 10, calls: ids.call };
          for (const move of moves) {
            messages = moved(messages, move, from);
            const first = move.type === "reopen" ? await one.reopen() : one.session;
            const second = move.type === "reopen" ? await two.reopen() : two.session;
            const together = await first.ingestAndView(readList(messages, plainCodec));
            await second.ingest(readList(messages, plainCodec));
            const apart = await second.nextView();

            expect(JSON.stringify(together.messages)).toBe(JSON.stringify(apart.messages));
            expect(together.call).toBe(apart.call);
            if (move.type === "reopen") break;
          }
          expect(await newest(one.store)).toEqual(await newest(two.store));
          const [less, more] = [await transactions(one.store), await transactions(two.store)];
          expect(less).toBeLessThan(more);
        }),
        { numRuns, seed },
      );
    },
  );

  it("stays within any budget", { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostEvent, { maxLength: 12 }),
        fc.integer({ min: 60, max: 3_000 }),
        async (events, contextWindow) => {
          const { session } = await openTestSession();
          const begin: Message = { role: "user", content: "begin", timestamp: 1 };
          await session.ingest(
            readList([begin, ...messagesOf(events, { time: 10, calls: 0 })], plainCodec),
          );

          const view = await session.nextView({ contextWindow, reserve: 0 });

          const { metadata, chat, active } = view.tokens;
          expect(metadata + chat + active).toBeLessThanOrEqual(contextWindow);
          expect(sequenceFaults(view.messages)).toEqual([]);
        },
      ),
      { numRuns, seed },
    );
  });
});

type HostMove = typeof hostMove extends fc.Arbitrary<infer Move> ? Move : never;

/** Returns the host's list after a move. */
function moved(
  messages: readonly Message[],
  move: HostMove,
  from: { time: number; calls: number },
): Message[] {
  switch (move.type) {
    case "append":
      return [...messages, ...messagesOf(move.events, from)];
    case "truncate":
      return messages.slice(0, Math.max(1, messages.length - move.keep));
    case "compact":
      return compacted(messages, move.keep, from);
    case "branch":
      return branched(messages, move.keep, from);
    default:
      return [...messages];
  }
}

function promptsIn(messages: readonly (Message | ViewMessage)[]): readonly string[] {
  return messages.flatMap((message) => (message.role === "user" ? [textOfMessage(message)] : []));
}

/** Returns the newest version of each object, without fields that depend on the number of commits. */
async function newest(store: ObjectStore): Promise<ReadonlyMap<string, unknown>> {
  const { versions } = await store.changesSince();
  return new Map(
    versions.map(({ body, hashes }) => {
      const { last_tx_id: _, ...session } = body;
      return [body.id, body.type === "session" ? session : hashes.object_hash];
    }),
  );
}

async function transactions(store: ObjectStore): Promise<number> {
  return new Set((await store.changesSince()).versions.map(({ at }) => at.tx_id)).size;
}
