import { objectId, sealObject } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { emptyAccount, type SessionBill, sessionBill } from "../../src/cost/cost-account.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { Layout } from "../../src/view/layout.ts";
import { model, prices } from "./clocked-session.ts";
import { numberedLines } from "./fake-files.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";

const layouts: readonly Layout[] = [epochLayout(), pooledLayout];
const files = { "/work/a.ts": numberedLines(200) };
const human = { origin: "test", generator: "human" } as const;
const output = "The build said a lot today. ".repeat(200);

/** Returns the bill of some work. `isManaging`: the model also makes calls that only manage its context. */
async function billOf(layout: Layout, isManaging: boolean): Promise<SessionBill> {
  const { session } = await openTestSession({ files, layout });
  const history = scriptHistory();
  const send = async (): Promise<SessionBill> => {
    await history.ingest(session);
    const { account } = await session.nextView({ prices, model });
    return sessionBill(account ?? emptyAccount);
  };
  const manages = async (name: "activate" | "deactivate", id = "t1"): Promise<void> => {
    if (!isManaging) return;
    await history.ask(name, { id }, (callId) => session[name](id, { callId }));
    await send();
  };
  history.user("go");
  await send();
  history.call("bash", { command: "build" }, output);
  await send();
  await manages("deactivate");
  await history.read(session, "a.ts");
  await send();
  await history.read(session, "a.ts");
  await send();
  await manages("activate");
  // There is no such object.
  await manages("activate", "t90");
  history.call("bash", { command: "test" }, output);
  return await send();
}

describe.each(layouts)("the bill of the plain host beside the layout $name", (layout) => {
  test("has no calls of context tools, and nothing of their text", async () => {
    const [managing, working] = [await billOf(layout, true), await billOf(layout, false)];

    expect(managing.calls).toBe(working.calls + 3);
    expect(managing.plainCalls).toBe(working.plainCalls);
    expect(managing.plainUnits).toBeCloseTo(working.plainUnits, 6);
  });

  test("has every output in full, and a file again with each read of it", async () => {
    const { plainUnits } = await billOf(layout, false);

    // Two outputs of about 1,270 tokens and two reads of about 600 are written once.
    expect(plainUnits).toBeGreaterThan((2 * 1200 + 2 * 550) * 1.25);
  });
});

describe.each(layouts)(
  "the bill of the plain host beside the layout $name, for notes",
  (layout) => {
    /** Returns the bill of opening a note that another session wrote, as often as given. */
    async function openings(times: number): Promise<SessionBill> {
      const { session, store } = await openTestSession({ layout });
      const note = { type: "note", locked: false, shared: true, provenance: human };
      const id = objectId("0190aaaa-0000-7000-8000-00000000aaaa");
      await store.commit([
        { object: sealObject({ ...note, id, nickname: "plan", content: output }) },
      ]);
      const history = scriptHistory();
      const send = async (): Promise<SessionBill> => {
        await history.ingest(session);
        const { account } = await session.nextView({ prices, model });
        return sessionBill(account ?? emptyAccount);
      };
      history.user("go");
      let bill = await send();
      for (let time = 0; time < times; time += 1) {
        await history.ask("activate", { id: "plan" }, (callId) =>
          session.activate("plan", {}, { callId }),
        );
        bill = await send();
      }
      return bill;
    }

    test("has a note that the session opens from the store as a read, once", async () => {
      const [none, once, twice] = [await openings(0), await openings(1), await openings(2)];

      expect(once.plainCalls).toBe(none.plainCalls + 1);
      // The note has about 1,270 tokens, which are written once.
      expect(once.plainUnits - none.plainUnits).toBeGreaterThan(1200 * 1.25);
      expect(twice.plainCalls).toBe(once.plainCalls);
      expect(twice.calls).toBe(once.calls + 1);
    });
  },
);
