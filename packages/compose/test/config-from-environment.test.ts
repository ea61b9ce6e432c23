import { defaultEpochSettings } from "@self-context-manager/core";
import { expect, test } from "vitest";

import { ConfigError } from "../src/config-error.ts";
import { configFromEnvironment, environmentVariables } from "../src/config-from-environment.ts";

const linux = { name: "linux", home: "/home/ada" };

test("an empty environment gives the defaults", () => {
  expect(configFromEnvironment({}, linux)).toEqual({
    store: "sqlite",
    at: "/home/ada/.local/share/self-context-manager/store.sqlite",
    summaries: "off",
    xtdb: {},
    findIn: "workspace",
    layout: "epoch",
    policy: { type: "recently-used", setting: "default" },
  });
});

test("the settings of recently-used are read", () => {
  const config = configFromEnvironment(
    { SCM_SETTING: "thrifty", SCM_ALIVE: "30", SCM_KEPT: "4" },
    linux,
  );

  expect(config.policy).toEqual({ type: "recently-used", setting: "thrifty", alive: 30, kept: 4 });
});

test("every variable is read", () => {
  const config = configFromEnvironment(
    {
      SCM_STORE: "/data/s.sqlite",
      SCM_STORE_KIND: "memory",
      SCM_XTDB_NAME: "team",
      SCM_XTDB_TOKEN: "t",
      SCM_XTDB_KEEP: "1",
      SCM_ACTIVATE_UNREAD: "ask",
      SCM_FIND_IN: "store",
      SCM_LONG_TEXTS: "800",
      SCM_EARLIER_THINKING: "leaves",
      SCM_FOLD: "off",
      SCM_SECRETS: "keep",
      SCM_SUMMARIES: "results",
      SCM_SUMMARY_MODEL: "anthropic/claude-haiku",
      SCM_EPOCHS: '{"deactivate":"immediate","trim":null,"earlierThinking":"stays"}',
      SCM_LAYOUT: "pooled",
      SCM_POLICY: "window",
      SCM_WINDOW_CALLS: "7",
      SCM_WINDOW_TURNS: "2",
    },
    linux,
  );

  expect(config).toEqual({
    store: "memory",
    at: "/data/s.sqlite",
    xtdb: { name: "team", token: "t", keep: true },
    findIn: "store",
    layout: "pooled",
    policy: { type: "window", calls: 7, turns: 2 },
    activateUnread: "ask",
    longTexts: 800,
    secrets: "keep",
    epochs: {
      deactivate: "immediate",
      trim: undefined,
      earlierThinking: "leaves",
      folds: undefined,
    },
    summaries: "results",
    summaryModel: "anthropic/claude-haiku",
  });
});

test("a store in XTDB is at a URL or in a separate folder", () => {
  const at = (environment: Readonly<Record<string, string>>): string =>
    configFromEnvironment({ SCM_STORE_KIND: "xtdb", ...environment }, linux).at;

  expect(at({})).toBe("/home/ada/.local/share/self-context-manager/xtdb");
  expect(at({ SCM_STORE: "~/shared" })).toBe("/home/ada/shared");
  expect(at({ SCM_STORE: "http://10.0.0.2:3000" })).toBe("http://10.0.0.2:3000");
});

test("an empty variable counts as not set", () => {
  const empty = Object.fromEntries(Object.keys(environmentVariables).map((name) => [name, ""]));

  expect(configFromEnvironment(empty, linux)).toEqual(configFromEnvironment({}, linux));
});

test.each([
  ["SCM_STORE_KIND", "postgres", "sqlite or xtdb or memory"],
  ["SCM_XTDB_KEEP", "yes", "1 or 0"],
  ["SCM_LAYOUT", "Pooled", "epoch or pooled"],
  ["SCM_ACTIVATE_UNREAD", "never", "read or ask"],
  ["SCM_EARLIER_THINKING", "1", "leaves or stays"],
  ["SCM_FOLD", "no", "on or off"],
  ["SCM_SECRETS", "on", "mask or keep or off"],
  ["SCM_POLICY", "none", "recently-used or window"],
  ["SCM_SETTING", "lavish", "default or thrifty or careful"],
  ["SCM_LONG_TEXTS", "99", "a whole number from 100"],
  ["SCM_ALIVE", "0", "a whole number from 1"],
  ["SCM_WINDOW_CALLS", "0", "a whole number from 1"],
  ["SCM_WINDOW_CALLS", "1.5", "a whole number from 1"],
  ["SCM_WINDOW_TURNS", "-3", "a whole number from 1"],
  ["SCM_WINDOW_TURNS", "many", "a whole number from 1"],
])("%s=%s is refused with the allowed values", (variable, value, allowed) => {
  const error = thrown(() => configFromEnvironment({ [variable]: value }, linux));

  expect(ConfigError.is(error)).toBe(true);
  expect(error).toMatchObject({ variable, value, allowed });
  expect(error).toHaveProperty("message", `${variable} is "${value}"; it must be ${allowed}`);
});

test.each([
  ["both", 'an object in JSON, such as {"deactivate":"immediate"}'],
  ["[]", 'an object in JSON, such as {"deactivate":"immediate"}'],
  ['{"deactivate":"now"}', "JSON whose deactivate is at-epoch-end or immediate"],
  ['{"superseded":true}', "JSON whose superseded is at-epoch-end or at-once"],
  ['{"share":-1}', "JSON whose share is a number from 0"],
  ['{"small":1.5}', "JSON whose small is a whole number from 0"],
  ['{"largeArguments":0}', "JSON whose largeArguments is a whole number from 1, or null"],
  [
    '{"trim":{"over":3000}}',
    "JSON whose trim is an object with the whole numbers over, head, tail, or null",
  ],
  [
    '{"toString":1}',
    "JSON without toString; a field is share or shareAtTurn or shareDeactivated or small or largeArguments or replacedTexts or otherArguments or earlierThinking or folds or trim or freshOutputs or deactivate or superseded",
  ],
])("SCM_EPOCHS=%s is refused with the field and what it can have", (value, allowed) => {
  const error = thrown(() => configFromEnvironment({ SCM_EPOCHS: value }, linux));

  expect(error).toMatchObject({ variable: "SCM_EPOCHS", value, allowed });
});

test("SCM_EPOCHS can set each field", () => {
  const every = {
    share: 0.5,
    shareAtTurn: 0,
    shareDeactivated: 1,
    small: 0,
    largeArguments: null,
    replacedTexts: 0,
    otherArguments: { over: 10, age: 0 },
    earlierThinking: "leaves",
    folds: { age: 4 },
    trim: { over: 100, head: 20, tail: 10 },
    freshOutputs: "ends",
    deactivate: "immediate",
    superseded: "at-once",
  };

  const { epochs } = configFromEnvironment({ SCM_EPOCHS: JSON.stringify(every) }, linux);

  expect(Object.keys(every)).toEqual(Object.keys(defaultEpochSettings));
  expect(epochs).toEqual({ ...every, largeArguments: undefined });
});

test.each([
  [
    "XDG_DATA_HOME on Linux",
    { XDG_DATA_HOME: "/xdg" },
    linux,
    "/xdg/self-context-manager/store.sqlite",
  ],
  [
    "a relative XDG_DATA_HOME is ignored",
    { XDG_DATA_HOME: "xdg" },
    linux,
    "/home/ada/.local/share/self-context-manager/store.sqlite",
  ],
  [
    "macOS",
    {},
    { name: "darwin", home: "/Users/ada" },
    "/Users/ada/Library/Application Support/self-context-manager/store.sqlite",
  ],
  [
    "Windows",
    { LOCALAPPDATA: String.raw`C:\Users\ada\AppData\Local` },
    { name: "win32", home: String.raw`C:\Users\ada` },
    String.raw`C:\Users\ada\AppData\Local\self-context-manager\store.sqlite`,
  ],
  [
    "SCM_STORE has priority",
    { SCM_STORE: "~/s.sqlite", XDG_DATA_HOME: "/xdg" },
    linux,
    "/home/ada/s.sqlite",
  ],
])("the store is in the platform's data folder: %s", (_, environment, platform, path) => {
  expect(configFromEnvironment(environment, platform).at).toBe(path);
});

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

test("the URL of a node implies XTDB", () => {
  expect(configFromEnvironment({ SCM_STORE: "http://127.0.0.1:3000" }, linux)).toMatchObject({
    store: "xtdb",
    at: "http://127.0.0.1:3000",
  });
});

test("the URL of a node with the kind sqlite is refused", () => {
  const environment = { SCM_STORE: "http://127.0.0.1:3000", SCM_STORE_KIND: "sqlite" };

  expect(() => configFromEnvironment(environment, linux)).toThrow(
    'SCM_STORE_KIND is "sqlite"; it must be xtdb or absent, because SCM_STORE is the URL of an XTDB node',
  );
});

test("without a home folder the place of the store must be named", () => {
  const homeless = { name: "linux", home: undefined };
  const at = (environment: Readonly<Record<string, string>>): string =>
    configFromEnvironment(environment, homeless).at;

  expect(() => at({})).toThrow(/SCM_STORE is ""; it must be the absolute path .*HOME is empty/u);
  expect(() => at({ SCM_STORE: "~/x" })).toThrow(ConfigError);
  expect(at({ SCM_STORE: "/data/s.sqlite" })).toBe("/data/s.sqlite");
  expect(at({ XDG_DATA_HOME: "/data" })).toBe("/data/self-context-manager/store.sqlite");
  expect(at({ SCM_STORE_KIND: "memory" })).toBe("memory");
});
