import { environmentVariables } from "@self-context-manager/compose";
import { describe, expect, it } from "vitest";

import { readFileSync } from "node:fs";

import { environmentOf, isOffBySettings } from "../src/plugin-settings.ts";

const manifest = JSON.parse(
  readFileSync(new URL("../openclaw.plugin.json", import.meta.url), "utf8"),
);
const settings: readonly string[] = Object.keys(manifest.configSchema.properties);

describe("the settings of the plugin", () => {
  it("are all variables of the environment but that of the layout, and the switch", () => {
    const named = environmentOf(Object.fromEntries(settings.map((name) => [name, "set"])), {});

    const expected = Object.keys(environmentVariables).filter((name) => name !== "SCM_LAYOUT");
    expect(Object.keys(named).toSorted()).toEqual(expected.toSorted());
    expect(settings).toHaveLength(expected.length + 1);
  });

  it("leave the layout of the environment out, because OpenClaw's messages cannot be moved", () => {
    expect(environmentOf({}, { SCM_LAYOUT: "pooled", SCM_ALIVE: "3" })).toEqual({ SCM_ALIVE: "3" });
  });

  it("have a label and a help text each", () => {
    for (const name of settings)
      expect(manifest.uiHints[name]).toMatchObject({
        label: expect.any(String),
        help: expect.any(String),
      });
  });

  it("count more than the environment", () => {
    const environment = { SCM_ALIVE: "3", SCM_KEPT: "2" };

    const epochs = { deactivate: "immediate" };

    expect(environmentOf({ alive: 7, xtdbKeep: false, epochs }, environment)).toEqual({
      SCM_ALIVE: "7",
      SCM_EPOCHS: '{"deactivate":"immediate"}',
      SCM_KEPT: "2",
      SCM_XTDB_KEEP: "0",
    });
  });

  it("switch managed context off", () => {
    expect(isOffBySettings({ off: true }, {})).toBe(true);
    expect(isOffBySettings({ off: false }, { SCM_OFF: "1" })).toBe(false);
    expect(isOffBySettings({}, { SCM_OFF: "1" })).toBe(true);
    expect(isOffBySettings({}, { SCM_OFF: "no" })).toBe(false);
  });
});
