import { homedir } from "node:os";

import { ConfigError } from "./config-error.ts";
import type { PolicyOptions, XtdbOptions } from "./context-manager-options.ts";
import { type Environment, variableOf } from "./environment.ts";
import {
  type LayoutKind,
  layoutKinds,
  oneOf,
  policyKinds,
  recentlyUsedNames,
  type StoreKind,
  storeKinds,
} from "./kinds.ts";
import { type Platform, storePath } from "./store-path.ts";

/** What the environment decides; the rest of the options is the caller's. */
export interface EnvironmentConfig {
  readonly store: StoreKind;
  readonly at: string;
  readonly xtdb: XtdbOptions;
  readonly layout: LayoutKind;
  readonly policy: PolicyOptions;
}

/** The variables that are read, with a line on each for help texts. */
export const environmentVariables: Readonly<Record<string, string>> = {
  SCM_STORE: "path of the store, or the URL of an XTDB node",
  SCM_STORE_KIND: `kind of the store: ${storeKinds.join(" or ")}`,
  SCM_XTDB_NAME: "name of the store within an XTDB database: scm",
  SCM_XTDB_TOKEN: "token that the XTDB node wants",
  SCM_XTDB_KEEP: "1 keeps this machine's XTDB node running when the last agent has left",
  SCM_LAYOUT: `layout of the context: ${layoutKinds.join(" or ")}`,
  SCM_POLICY: `what leaves the active objects by itself: ${policyKinds.join(" or ")}`,
  SCM_SETTING: `how much recently-used keeps: ${recentlyUsedNames.join(", ")}`,
  SCM_ALIVE: "how many objects recently-used keeps active",
  SCM_KEPT: "how many of them stay in view when an epoch ends",
  SCM_WINDOW_CALLS: "tool calls that stay active of each turn in the window",
  SCM_WINDOW_TURNS: "turns in the window, the current one included",
};

/** Reads the settings that stand in the environment. Throws `ConfigError` for a value that cannot be used. */
export function configFromEnvironment(
  environment: Environment,
  platform: Platform = { name: process.platform, home: homedir() },
): EnvironmentConfig {
  const store = choice(environment, "SCM_STORE_KIND", storeKinds);
  return {
    store,
    at: storePath(environment, platform, store),
    xtdb: xtdbOptions(environment),
    layout: choice(environment, "SCM_LAYOUT", layoutKinds),
    policy: policyOf(environment),
  };
}

/** What is set for the policy that is not chosen is checked as well: a slip in it would show up later only. */
function policyOf(environment: Environment): PolicyOptions {
  const calls = count(environment, "SCM_WINDOW_CALLS");
  const turns = count(environment, "SCM_WINDOW_TURNS");
  const setting = choice(environment, "SCM_SETTING", recentlyUsedNames);
  const alive = count(environment, "SCM_ALIVE");
  const kept = count(environment, "SCM_KEPT");
  const type = choice(environment, "SCM_POLICY", policyKinds);
  return type === "window"
    ? {
        type,
        ...(calls === undefined ? {} : { calls }),
        ...(turns === undefined ? {} : { turns }),
      }
    : {
        type,
        setting,
        ...(alive === undefined ? {} : { alive }),
        ...(kept === undefined ? {} : { kept }),
      };
}

function xtdbOptions(environment: Environment): XtdbOptions {
  const name = variableOf(environment, "SCM_XTDB_NAME");
  const token = variableOf(environment, "SCM_XTDB_TOKEN");
  const keep = variableOf(environment, "SCM_XTDB_KEEP");
  if (keep !== undefined && keep !== "1" && keep !== "0")
    throw new ConfigError("SCM_XTDB_KEEP", keep, "1 or 0");
  return {
    ...(name === undefined ? {} : { name }),
    ...(token === undefined ? {} : { token }),
    ...(keep === undefined ? {} : { keep: keep === "1" }),
  };
}

function choice<Name extends string>(
  environment: Environment,
  variable: string,
  names: readonly [Name, ...Name[]],
): Name {
  const value = variableOf(environment, variable);
  if (value === undefined) return names[0];
  const name = oneOf(names, value);
  if (name === undefined) throw new ConfigError(variable, value, names.join(" or "));
  return name;
}

function count(environment: Environment, variable: string): number | undefined {
  const value = variableOf(environment, variable);
  if (value === undefined) return undefined;
  const number = /^\d{1,9}$/u.test(value) ? Number(value) : 0;
  if (number < 1) throw new ConfigError(variable, value, "a whole number from 1");
  return number;
}
