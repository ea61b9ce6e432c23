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
      longTexts: Number.POSITIVE_INFINITY,
      readLimits,
    });

    expect(settings.policy.name).toBe("window");
    expect(settings.layout.name).toBe("pooled");
    expect(settings.activateUnread).toBe("ask");
    expect(settings.longTexts).toBe(Number.POSITIVE_INFINITY);
    expect(settings.readLimits).toBe(readLimits);
  });

  it.each([99, 2_000.5, Number.NaN])("refuses %d as the limit of long texts", (longTexts) => {
    const message = `longTexts is ${longTexts}; it must be a whole number from 100, or Infinity`;

    expect(() => sessionSettings({ longTexts })).toThrow(new RangeError(message));
  });

  it("refuses a name that is not known", async () => {
    const options = { store: "memory", layout: "folded" as "epoch" } as const;
    const message = 'layout is "folded"; it must be epoch or pooled';

    expect(() => sessionSettings(options)).toThrow(new RangeError(message));
    await expect(openContextManager(options)).rejects.toThrow(new RangeError(message));
  });
});
