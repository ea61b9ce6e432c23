import { epochLayout, pooledLayout, windowPolicy } from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";

import { callPatience } from "../src/call-patience.ts";
import type { ContextManagerOptions } from "../src/context-manager-options.ts";
import { openContextManager } from "../src/context-manager.ts";
import { sessionSettings } from "../src/session-settings.ts";

const host = { harness: "test", sessionId: "s1" };
const clock = { now: () => 0 };

describe("a store that the caller has opened", () => {
  it("is used, and stays open after the manager", async () => {
    const store = memoryStore({ clock });
    {
      await using manager = await openContextManager({ store });
      await (await manager.openSession(host)).recordSystemPrompt("host", "be brief");
      expect(manager.store).toBe(store);
    }

    const { items } = await store.find({ where: { type: "session" } });

    expect(items).toHaveLength(1);
  });

  it.each(["at", "xtdb", "patience"] as const)(
    "is refused together with the option %s",
    async (option) => {
      const store = memoryStore({ clock });
      const unfit = { at: "/tmp/store.sqlite", xtdb: { name: "scm" }, patience: callPatience() };

      const opening = openContextManager({ store, [option]: unfit[option] });

      await expect(opening).rejects.toThrow(
        new RangeError(
          `${option} does not apply to a store that is already open; leave it out, or pass it to the function that opens the store`,
        ),
      );
    },
  );
});

describe("a policy and a layout that the caller has made", () => {
  it("are used", () => {
    const policy = windowPolicy({ calls: 3 });
    const layout = { ...pooledLayout, name: "mine" };

    const settings = sessionSettings({ policy, layout });

    expect([settings.policy, settings.layout]).toEqual([policy, layout]);
  });

  it("leave no place for the settings of the epoch layout", () => {
    const options = { layout: epochLayout(), epochs: {} };

    expect(() => sessionSettings(options)).toThrow(
      new RangeError(
        "epochs does not apply to a layout that is already made; leave it out, or pass the settings to epochLayout",
      ),
    );
  });
});

describe("an option of the wrong shape", () => {
  it.each<readonly [string, unknown, string]>([
    ["store", "sqllite", 'store is "sqllite"; it must be sqlite or xtdb or memory'],
    ["store", {}, "store is an object without commit; it must be sqlite or xtdb or memory, or an"],
    [
      "store",
      Promise.resolve(memoryStore({ clock })),
      "store is an object without commit; it must be sqlite or xtdb or memory, or an open ObjectStore",
    ],
    ["store", null, "store is null; it must be sqlite or xtdb or memory, or an open ObjectStore"],
    ["layout", "spiral", 'layout is "spiral"; it must be epoch or pooled'],
    ["layout", epochLayout, "layout is a function; it must be epoch or pooled, or a Layout"],
    ["layout", { name: "mine" }, "layout is an object without render; it must be epoch or pooled"],
    [
      "policy",
      "window",
      'policy is "window"; it must be options with the type recently-used or window, or an ActivationPolicy',
    ],
    ["policy", {}, "policy is an object without leaving; it must be options with the type"],
    ["policy", { type: "none" }, 'policy is "none"; it must be recently-used or window'],
  ])("is refused: %s %j", async (option, value, message) => {
    // A caller without types can pass anything.
    const options: ContextManagerOptions = JSON.parse("{}");
    Reflect.set(options, option, value);

    const opening = openContextManager({ store: "memory", ...options });

    await expect(opening).rejects.toThrow(RangeError);
    await expect(opening).rejects.toThrow(message);
  });
});
