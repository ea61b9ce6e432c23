import { piCodec } from "@self-context-manager/adapter-pi";
import {
  type ContextSession,
  epochLayout,
  type Message,
  openContextSession,
  pooledLayout,
  recentlyUsedPolicy,
  silentLogger,
  type View,
  type ViewMessage,
  readList,
} from "@self-context-manager/core";
import type { MessageCodec } from "@self-context-manager/core/host";
import { objectId } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { testScale } from "@self-context-manager/store-contract";
import { hostEvent, messagesOf } from "@self-context-manager/testkit";
import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { fakeFiles, plainCodec } from "../src/session/core-sessions.ts";

/** A process with its own clock and ids. */
interface Process {
  readonly startsAt: number;
  readonly ids: string;
}

const processes: readonly [Process, Process] = [
  { startsAt: 1_700_000_000_000, ids: "a" },
  { startsAt: 1_893_456_789_012, ids: "0192-b" },
];

const layouts = [epochLayout({ small: 0 }), epochLayout({ share: 0.01, small: 0 }), pooledLayout];

/** Returns the views of a session, call by call: one before each answer, and one at the end. */
async function viewsOf<Raw>(
  messages: readonly Raw[],
  codec: MessageCodec<Raw>,
  layout: (typeof layouts)[number],
  process: Process,
): Promise<readonly View[]> {
  const session = await open(layout, process);
  const views: View[] = [];
  for (let count = 1; count <= messages.length; count += 1) {
    const next = messages[count];
    if (next !== undefined && codec.identify(next).role !== "assistant") continue;
    await session.ingest(readList(messages.slice(0, count), codec));
    views.push(await session.nextView());
  }
  return views;
}

async function open(layout: (typeof layouts)[number], process: Process): Promise<ContextSession> {
  let count = 0;
  let time = process.startsAt;
  const clock = {
    now: () => {
      time += 7;
      return time;
    },
  };
  return await openContextSession(
    {
      store: memoryStore({ clock }),
      files: fakeFiles({}),
      ids: {
        next: () => {
          count += 1;
          return objectId(`${process.ids}-${count}`);
        },
      },
      logger: silentLogger,
      policy: recentlyUsedPolicy({ alive: 4, kept: 2 }),
      layout,
      workspace: "/work",
      readLimits: { lines: 2_000, characters: 50_000 },
      clock,
    },
    { harness: "test", sessionId: "s" },
  );
}

/**
 * Returns the calls with volatile bytes. These are calls whose bytes another process would not have sent (clock
 * times, counters of a process, new ids), and calls that changed sent bytes although the epoch continued.
 */
async function volatileCalls<Raw>(
  messages: readonly Raw[],
  codec: MessageCodec<Raw>,
  layout: (typeof layouts)[number],
): Promise<readonly number[]> {
  const [one, other] = processes;
  const first = await viewsOf(messages, codec, layout, one);
  const second = await viewsOf(messages, codec, layout, other);
  let former: readonly ViewMessage[] = [];
  return first.flatMap((view, call) => {
    const isSame = bytesOf(second[call]?.messages ?? []) === bytesOf(view.messages);
    const isKept =
      view.epoch?.isNew !== false ||
      bytesOf(view.messages.slice(0, former.length)) === bytesOf(former);
    former = view.messages;
    return isSame && isKept ? [] : [call];
  });
}

function bytesOf(messages: readonly ViewMessage[]): string {
  return JSON.stringify(messages);
}

describe.each(layouts.map((layout, index) => [`${layout.name} ${index + 1}`, layout] as const))(
  "the prefix of a session in layout %s",
  (_, layout) => {
    test("has no volatile bytes in generated sessions", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(hostEvent, { minLength: 2, maxLength: 25 }), async (events) => {
          const messages = messagesOf(events, { time: 1_700_000_000_000, calls: 0 });
          expect(await volatileCalls<Message>(messages, plainCodec, layout)).toEqual([]);
        }),
        { numRuns: testScale.isLong ? 400 : 25, seed: testScale.seed },
      );
    });

    test.each(["0.73.1", "0.87.1", "1.5.2"])(
      "has no volatile bytes in messages that Pi %s recorded",
      async (version) => {
        const file = new URL(
          `../../packages/adapter-pi/test/fixtures/messages-${version}.json`,
          import.meta.url,
        );
        const messages = JSON.parse(readFileSync(file, "utf8")) as Parameters<
          typeof piCodec.decode
        >[0][];

        expect(await volatileCalls(messages, piCodec, layout)).toEqual([]);
      },
    );
  },
);
