import { describe, expect, it } from "vitest";

import { openContextManager, sessionSettings } from "../src/index.ts";

describe("sessionSettings", () => {
  it("returns the defaults without options", () => {
    const { policy, layout, activateUnread, readLimits } = sessionSettings();

    expect([policy.name, layout.name, activateUnread]).toEqual([
      "recently-used",
      "epoch",
      undefined,
    ]);
    expect(readLimits).toEqual({ lines: 2_000, characters: 51_200 });
  });

  it("returns the parts that the options name", () => {
    const readLimits = { lines: 10, characters: 100 };
    const settings = sessionSettings({
      policy: { type: "window" },
      layout: "pooled",
      activateUnread: "ask",
      readLimits,
    });

    expect(settings.policy.name).toBe("window");
    expect(settings.layout.name).toBe("pooled");
    expect(settings.activateUnread).toBe("ask");
    expect(settings.readLimits).toBe(readLimits);
  });

  it("refuses a name that is not known", async () => {
    const options = { store: "memory", layout: "folded" as "epoch" } as const;
    const message = 'layout is "folded"; it must be epoch or pooled';

    expect(() => sessionSettings(options)).toThrow(new RangeError(message));
    await expect(openContextManager(options)).rejects.toThrow(new RangeError(message));
  });
});
