import type { JsonValue } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ActivationPolicy } from "../../src/policy/activation-policy.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import { windowPolicy } from "../../src/policy/window-policy.ts";
import { useOrder } from "../../src/state/use-order.ts";
import type { Layout } from "../../src/view/layout.ts";
import { scriptHistory, type ScriptedHistory } from "../session/script-history.ts";
import { openTestSession, type TestSession } from "../session/test-session.ts";
import { handlesIn, storedSession, textOfMessage } from "../session/view-parts.ts";

interface Used extends TestSession {
  readonly history: ScriptedHistory;
  readonly order: () => Promise<JsonValue | undefined>;
}

const text = "some words that are in the file\n".repeat(12);

async function openUsed({
  alive = 24,
  layout = epochLayout({ small: 0 }),
  policy = recentlyUsedPolicy({ alive, kept: 1 }),
}: {
  readonly alive?: number;
  readonly layout?: Layout;
  readonly policy?: ActivationPolicy;
} = {}): Promise<Used> {
  const opened = await openTestSession({
    layout,
    policy,
    files: { "/work/a.ts": text, "/work/b.ts": text },
  });
  return {
    ...opened,
    history: scriptHistory(),
    order: async () => (await storedSession(opened.store, opened.session))["recent"],
  };
}

describe("the order of use (D2)", () => {
  it("contains delivered, read and activated objects, the newest last, and no calls of context tools", async () => {
    const { session, history, order } = await openUsed();
    history.user("go on");
    history.call("grep", { pattern: "x" }, text);
    await history.read(session, "a.ts");
    history.call("grep", { pattern: "y" }, text);
    await history.ingest(session);
    const first = await order();
    await session.activate("t1");

    expect(first).toEqual(["f1", "t1", "t3"]);
    expect(await order()).toEqual(["f1", "t3", "t1"]);
  });

  it("moves the newest object and the newest reading of a file that a call names", async () => {
    const { session, history, order } = await openUsed();
    history.user("go on");
    const edits = [{ oldText: "x", newText: "y" }];
    const calls = [
      ["bash", { command: "cat a.ts" }],
      ["bash", { command: "cat b.ts" }],
      ["edit", { path: "a.ts", edits }],
      ["grep", { pattern: "x" }],
    ] as const;
    for (const [tool, args] of calls) {
      history.call(tool, args, text);
      await history.ingest(session);
    }
    const before = await order();
    history.call("bash", { command: "wc -l a.ts && cat a.ts" }, text);
    await history.ingest(session);

    expect(before).toEqual(["t2", "t1", "t3", "t4"]);
    expect(await order()).toEqual(["t2", "t4", "t1", "t3", "t5"]);
  });

  it("contains the arguments of writes from the size on at which the layout can remove them", async () => {
    const orders: (JsonValue | undefined)[] = [];
    for (const largeArguments of [60, 600, undefined]) {
      const layout = epochLayout({ small: 0, largeArguments });
      const used = await openUsed({ layout });
      used.history.user("go on");
      used.history.call("write", { path: "a.ts", content: text }, "Done.");
      await used.history.ingest(used.session);
      orders.push(await used.order());
    }

    expect(orders).toEqual([["t1/args", "t1"], ["t1"], ["t1"]]);
  });

  it("forgets a deactivated object: a call that names its file does not use it", async () => {
    const { session, history, order } = await openUsed();
    history.user("go on");
    history.call("bash", { command: "cat a.ts" }, text);
    await history.ingest(session);
    await session.nextView();
    await session.deactivate("t1");
    history.call("bash", { command: "cat a.ts" }, text);
    await history.ingest(session);

    expect(await order()).toEqual(["t2"]);
    expect(await handlesIn(session, "active")).toEqual(["t2"]);
  });

  it("activates an object that the policy made inactive when a call names it while it is in view, and not later", async () => {
    const { session, history } = await openUsed({ alive: 1 });
    history.user("go on");
    history.call("bash", { command: "cat a.ts" }, text);
    await history.ingest(session);
    await session.nextView();
    for (const pattern of ["u", "v", "w", "x", "y", "z"]) history.call("grep", { pattern }, text);
    await history.ingest(session);
    const away = await handlesIn(session, "active");
    await session.nextView();
    history.call("edit", { path: "a.ts", edits: [] }, "Done.");
    await history.ingest(session);

    expect(away).not.toContain("t1");
    expect(await handlesIn(session, "active")).toContain("t1");
  });

  it("brings no output back under the window policy, in either layout", async () => {
    for (const layout of [epochLayout({ small: 0 }), pooledLayout]) {
      const { session, history } = await openUsed({ layout, policy: windowPolicy({ calls: 2 }) });
      history.user("go on");
      history.call("bash", { command: "cat a.ts" }, text);
      await history.ingest(session);
      await session.nextView();
      for (const pattern of ["x", "y", "z"]) history.call("grep", { pattern }, text);
      await history.ingest(session);
      await session.nextView();
      history.call("edit", { path: "a.ts", edits: [] }, "Done.");
      await history.ingest(session);
      await session.nextView();

      expect(await handlesIn(session, "active")).toEqual(["t4", "t5"]);
    }
  });

  it("activates no other lines of a file than those in view when a call names it", async () => {
    const { session, history } = await openUsed({ alive: 1 });
    history.user("go on");
    const request = { path: "a.ts", offset: 3, limit: 2 };
    await history.ask("read", request, async (callId) => await session.read(request, { callId }));
    await history.ingest(session);
    await session.nextView();
    for (const pattern of ["u", "v", "w", "x", "y", "z"]) history.call("grep", { pattern }, text);
    await history.ingest(session);
    const away = await handlesIn(session, "active");
    await session.nextView();
    history.call("edit", { path: "a.ts", edits: [] }, "Done.");
    await history.ingest(session);

    expect(away).not.toContain("f1");
    expect(await handlesIn(session, "active")).toContain("f1");
    const texts = (await session.nextView()).messages.map(textOfMessage);
    expect(texts.filter((one) => one.startsWith("f1 "))).toEqual([
      expect.stringMatching(/^f1 a\.ts v1 lines 3-4 of 12\n/u),
    ]);
  });

  it("is the same in a resumed session", async () => {
    const used = await openUsed();
    const { session, history, order } = used;
    history.user("go on");
    history.call("bash", { command: "cat a.ts" }, text);
    history.call("bash", { command: "cat b.ts" }, text);
    await history.ingest(session);
    const resumed = await used.reopen();
    history.call("bash", { command: "head a.ts" }, text);
    await history.ingest(resumed);

    expect(await order()).toEqual(["t2", "t1", "t3"]);
  });
});

it("a key that was forgotten as the newest one can be used again", () => {
  const order = useOrder();
  order.use("t1");
  order.use("t2");
  order.forget("t2");
  const without = order.recent;
  order.use("t2");

  expect(without).toEqual(["t1"]);
  expect(order.recent).toEqual(["t1", "t2"]);
});
