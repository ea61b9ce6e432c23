import * as fc from "fast-check";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { emptyAccount, sessionBill } from "../../src/cost/cost-account.ts";
import { readList } from "../../src/host/read-list.ts";
import { describe, expect, test } from "vitest";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { View } from "../../src/session/view-options.ts";
import {
  type ClockedSession,
  growingViews,
  model,
  openClockedSession,
  prices,
} from "./clocked-session.ts";
import { plainCodec } from "./test-session.ts";
import { handlesIn } from "./view-parts.ts";

const minute = 60_000;

const long = (name: string): string => `${name} says a lot. `.repeat(100);

/** The user asks something, and the model runs this many commands with long outputs. */
function runs({ history }: ClockedSession, count: number): void {
  history.user("go on");
  for (let index = 0; index < count; index += 1)
    history.call("bash", { command: `run ${index}` }, long(`run ${index}`));
}

/** The model answers, and the user asks something else after a pause. */
async function nextCall(
  opened: ClockedSession,
  pause: number,
  options?: { readonly model?: string },
): Promise<View> {
  opened.history.say("done");
  opened.history.user("and now");
  opened.time += pause;
  return await opened.send(options);
}

describe("an idle session", () => {
  test("begins an epoch without cost when the cache is cold, and not before", async () => {
    const opened = await openClockedSession();
    runs(opened, 12);
    await opened.send();
    const warm = await nextCall(opened, 5 * minute);
    const cold = await nextCall(opened, 5 * minute + 1);

    expect(warm.epoch).toMatchObject({ number: 1, isNew: false });
    expect(cold.epoch).toMatchObject({ number: 2, isNew: true, endedBy: "cold" });
    expect(cold.epoch?.left).toContain("t1");
  });

  test("lists objects that left the view as inactive, and does not send them again", async () => {
    const opened = await openClockedSession();
    runs(opened, 12);
    await opened.send();
    const before = await handlesIn(opened.session, "active");
    await nextCall(opened, 60 * minute);

    expect(before).toContain("t1");
    expect(await handlesIn(opened.session, "inactive")).toContain("t1");
  });

  test("has a cold cache for another model at once", async () => {
    const opened = await openClockedSession();
    runs(opened, 12);
    await opened.send();
    const switched = await nextCall(opened, 0, { model: "anthropic/claude-opus-5" });

    expect(switched.epoch).toMatchObject({ isNew: true, endedBy: "cold" });
  });

  test("has a cold cache after a change of the system prompt, in another process too", async () => {
    const opened = await openClockedSession();
    runs(opened, 12);
    await opened.send({ head: "a" });
    opened.history.call("bash", { command: "more" }, "ok");
    const same = await opened.send({ head: "a" });
    opened.history.call("bash", { command: "and more" }, "ok");
    const session = await opened.reopen();
    await opened.history.ingest(session);
    const changed = await session.nextView({ prices, model, head: "another prompt, by its text" });

    expect(same.epoch).toMatchObject({ isNew: false });
    expect(changed.epoch).toMatchObject({ isNew: true, endedBy: "cold", cachedTokens: 0 });
    expect(changed.account?.waiting?.cached).toBe(0);
  });
});

describe("a content that the model deactivates", () => {
  test("ends an epoch before its carried cost reaches the rewrite cost", async () => {
    const opened = await openClockedSession();
    runs(opened, 4);
    await opened.send();
    await opened.session.deactivate("t1");

    const views: View[] = [];
    while (views.at(-1)?.epoch?.isNew !== true && views.length < 100) {
      opened.history.call("bash", { command: "wait" }, "ok");
      views.push(await opened.send());
    }
    const before = views.at(-2)?.epoch;
    expect(views.at(-1)?.epoch).toMatchObject({ isNew: true, endedBy: "carried" });
    expect(before?.carried).toBeGreaterThan(0);
    expect(before?.carried).toBeLessThan(before?.rewrite ?? 0);
  });
});

describe("going back", () => {
  /** Opens a session with some turns, minutes apart, whose user goes back to an early one. */
  async function wentBack(isReopened: boolean): Promise<View> {
    const opened = await openClockedSession(8, 2);
    runs(opened, 8);
    await opened.send();
    opened.history.say("done");
    const early = [...opened.history.messages];
    for (const text of ["and now", "and later"]) {
      opened.history.user(text);
      opened.time += 4 * minute;
      await opened.send();
      opened.history.say(`done with ${text}`);
    }
    await opened.history.ingest(opened.session);
    opened.time += 10_000;
    const back = [
      ...early,
      { role: "user", content: "in another way", timestamp: opened.time } as const,
    ];
    await opened.session.ingest(readList(back, plainCodec), { rewound: true });
    const session = isReopened ? await opened.reopen() : opened.session;
    return await session.nextView({ prices, model });
  }

  test.each([false, true])(
    "finds the cache of the last call, however old the point is (reopened: %s)",
    async (isReopened) => {
      const { epoch } = await wentBack(isReopened);

      expect(epoch).toMatchObject({ number: 1, isNew: false });
      expect(epoch?.sharedTokens).toBeGreaterThan(1000);
    },
  );
});

describe("a view that is not sent", () => {
  test("has the figures of the sent calls, not of a next one", async () => {
    const opened = await openClockedSession();
    runs(opened, 12);
    const sent = await opened.send();
    opened.time += 60 * minute;

    const looked = await (await opened.reopen()).peekView({ prices, model });

    expect(looked.account?.estimated.calls).toBe(1);
    expect(looked.account?.estimated.units).toBeCloseTo(sent.account?.estimated.units ?? 0, -1);
    expect(looked.epoch).toMatchObject({ number: 1, calls: 1, left: [], isNew: false });
    expect(looked.epoch).not.toHaveProperty("endedBy");
  });

  test("has no epoch before the first call", async () => {
    const opened = await openClockedSession();
    opened.history.user("go on");
    await opened.history.ingest(opened.session);

    expect(await opened.session.peekView()).not.toHaveProperty("epoch");
  });
});

describe("the account", () => {
  test("is kept in the pooled layout too", async () => {
    const opened = await openClockedSession(24, 5, pooledLayout);
    runs(opened, 60);
    const first = await opened.send();
    const second = await nextCall(opened, minute);
    const again = await nextCall(opened, 60 * minute);
    const looked = await opened.session.peekView();

    expect(first.account?.estimated).toMatchObject({ calls: 1, cached: 0 });
    expect(second.account?.plain.calls).toBe(1);
    expect(second.account?.plain.units).toBeGreaterThan(4_000);
    expect(again.account?.estimated.calls).toBe(3);
    expect(looked.account).toEqual(again.account);
  });

  test("counts a call on a cold cache as a new prompt, even if no content could leave", async () => {
    const opened = await openClockedSession();
    const text = { type: "text", text: long("the user") } as const;
    opened.history.user([text, text, text, text]);
    const first = await opened.send();
    const second = await nextCall(opened, 24 * 60 * minute);

    expect(second.epoch?.isNew).toBe(false);
    expect(second.account?.estimated.cached).toBe(0);
    expect(second.account?.estimated.fresh).toBeGreaterThan(
      2 * (first.account?.estimated.fresh ?? 0) - 1,
    );
  });

  const usage = { input: 3, cacheRead: 2000, cacheWrite: 40, output: 9 };

  test("contains the reported usage in addition to the estimates, also in the next process", async () => {
    const opened = await openClockedSession();
    opened.history.user("go on");
    const first = await opened.send();
    opened.history.say("done", { usage });
    opened.history.user("and now");
    const second = await opened.send();
    const again = await (await opened.reopen()).peekView({ prices, model });

    expect(first.account?.reported.calls).toBe(0);
    expect(second.account).toMatchObject({
      estimated: { calls: 2 },
      reported: { calls: 1, input: 3, cache_read: 2000, cache_write: 40 },
    });
    expect(again.account?.reported).toEqual(second.account?.reported);
  });

  test("is equal to that of the plain host until content leaves", async () => {
    const opened = await openClockedSession();
    opened.history.user("go on");
    for (let index = 0; index < 5; index += 1) {
      opened.history.call("bash", { command: `run ${index}` }, long(`run ${index}`));
      await opened.send();
    }
    const { account } = await opened.send();

    const { units, plainUnits } = sessionBill(account ?? emptyAccount);
    expect(units).toBeGreaterThan(1000);
    // The headers of contents are what the plain host does not send.
    expect(Math.abs(units / plainUnits - 1)).toBeLessThan(0.02);
  });

  test("costs less than the plain host once epochs have ended", async () => {
    const opened = await openClockedSession(8, 2);
    opened.history.user("go on");
    let last: View | undefined;
    for (let index = 0; index < 60; index += 1) {
      opened.history.call("bash", { command: `run ${index}` }, long(`run ${index}`));
      last = await opened.send();
    }

    expect(last?.epoch?.number).toBeGreaterThan(2);
    const { units, plainUnits } = sessionBill(last?.account ?? emptyAccount);
    expect(units).toBeLessThan(plainUnits * 0.8);
  });
});

describe("breakpoints of a view", () => {
  test("are in order on user messages and results, the last one at the end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 25 }),
        async (sizes) => {
          for (const { boundaries = [], messages } of await growingViews(sizes)) {
            expect(boundaries.length).toBeLessThanOrEqual(3);
            expect(boundaries).toEqual([...new Set(boundaries)].toSorted((a, b) => a - b));
            expect(boundaries.at(-1)).toBe(messages.length - 1);
            for (const index of boundaries)
              expect(messages[index]?.role).toMatch(/^(user|toolResult)$/u);
          }
        },
      ),
      { numRuns: propertyRuns(15) },
    );
  });
});
