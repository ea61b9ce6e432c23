import type { EpochSettings } from "@self-context-manager/core";
import { defined } from "@self-context-manager/objects";
import type { SecretsSetting } from "@self-context-manager/secrets";

import { ConfigError } from "./config-error.ts";
import type { PolicyOptions, XtdbOptions } from "./context-manager-options.ts";
import { type Environment, variableOf } from "./environment.ts";
import { epochsHelp, epochsOf } from "./epochs-variable.ts";
import { homeFolder } from "./home-folder.ts";
import {
  type ActivateUnread,
  activateUnreadWays,
  earlierThinkingWays,
  type FindIn,
  findInPlaces,
  foldWays,
  type LayoutKind,
  layoutKinds,
  leastLongText,
  oneOf,
  policyKinds,
  recentlyUsedNames,
  secretsSettings,
  type StoreKind,
  storeKinds,
  type SummaryWay,
  summaryWays,
} from "./kinds.ts";
import { isNodeUrl, type Platform, storePath } from "./store-path.ts";

/** The options that the environment sets; the caller sets the others. */
export interface EnvironmentConfig {
  readonly store: StoreKind;
  readonly at: string;
  readonly xtdb: XtdbOptions;
  readonly layout: LayoutKind;
  readonly policy: PolicyOptions;
  /** Undefined if the environment does not set it; then the adapter of the harness chooses. */
  readonly activateUnread?: ActivateUnread;
  readonly findIn: FindIn;
  /** Undefined if the environment does not set it. */
  readonly longTexts?: number;
  /** Undefined if the environment does not set it. */
  readonly secrets?: SecretsSetting;
  /** Undefined if the environment sets nothing of it. */
  readonly epochs?: Partial<EpochSettings>;
  /** What a model of the host writes summaries of. The adapter of the host asks the model. */
  readonly summaries: SummaryWay;
  /** The name of that model; undefined for the session's own. */
  readonly summaryModel?: string;
}

/** The variables that are read, each with a line for help texts. */
export const environmentVariables: Readonly<Record<string, string>> = {
  SCM_STORE: "path of the store, or the URL of an XTDB node, which implies the kind xtdb",
  SCM_STORE_KIND: `kind of the store: ${storeKinds.join(" or ")}`,
  SCM_XTDB_NAME: "name of the store within an XTDB database; default: scm",
  SCM_XTDB_TOKEN:
    "token of the XTDB node at a URL, and of a node that is started; default: a random one in its folder",
  SCM_XTDB_KEEP:
    "1 keeps this machine's XTDB node running after the last agent has stopped using it",
  SCM_ACTIVATE_UNREAD: `what activate does with a file that no tool of the host has shown: ${activateUnreadWays.join(" or ")}`,
  SCM_FIND_IN: `among which objects the model finds and names some: ${findInPlaces.join(" or ")}`,
  SCM_LONG_TEXTS: `tokens above which a text of a user's message becomes an object, from ${leastLongText} on`,
  SCM_SECRETS: `what happens to credentials in texts that are stored: ${secretsSettings.join(" or ")}`,
  SCM_EARLIER_THINKING: `whether the thinking of earlier turns stays in view when an epoch ends: ${earlierThinkingWays.join(" or ")}`,
  SCM_FOLD: `whether finished steps are folded when an epoch ends: ${foldWays.join(" or ")}`,
  SCM_SUMMARIES: `what a model of the host writes summaries of: ${summaryWays.join(" or ")}`,
  SCM_SUMMARY_MODEL: "the model that writes them, as provider/id; default: the session's own",
  SCM_EPOCHS: epochsHelp,
  SCM_LAYOUT: `layout of the context: ${layoutKinds.join(" or ")}`,
  SCM_POLICY: `activation policy: ${policyKinds.join(" or ")}`,
  SCM_SETTING: `how much of the context is kept, and for how long: ${recentlyUsedNames.join(" or ")}`,
  SCM_ALIVE: "number of objects of 1,000 tokens that recently-used keeps active",
  SCM_KEPT: "number of them that stay in view when an epoch ends",
  SCM_WINDOW_CALLS: "tool calls of each turn in the window that stay active",
  SCM_WINDOW_TURNS: "turns in the window, including the current one",
};

/** Reads the settings from the environment. Throws `ConfigError` for a value that is not allowed. */
export function configFromEnvironment(
  environment: Environment,
  platform: Platform = { name: process.platform, home: homeFolder() },
): EnvironmentConfig {
  const store = storeOf(environment);
  const longTexts = count(environment, "SCM_LONG_TEXTS", leastLongText);
  const epochs = epochSettings(environment);
  const isUnreadSet = variableOf(environment, "SCM_ACTIVATE_UNREAD") !== undefined;
  return {
    store,
    at: storePath(environment, platform, store),
    xtdb: xtdbOptions(environment),
    layout: choice(environment, "SCM_LAYOUT", layoutKinds),
    policy: policyOf(environment),
    ...(isUnreadSet
      ? { activateUnread: choice(environment, "SCM_ACTIVATE_UNREAD", activateUnreadWays) }
      : {}),
    findIn: choice(environment, "SCM_FIND_IN", findInPlaces),
    ...defined({ longTexts }),
    ...(variableOf(environment, "SCM_SECRETS") === undefined
      ? {}
      : { secrets: choice(environment, "SCM_SECRETS", secretsSettings) }),
    ...defined({ epochs }),
    summaries: choice(environment, "SCM_SUMMARIES", summaryWays),
    ...defined({ summaryModel: variableOf(environment, "SCM_SUMMARY_MODEL") }),
  };
}

/** The settings of epochs. A variable for one of them counts more than the same field of the others. */
function epochSettings(environment: Environment): Partial<EpochSettings> | undefined {
  const isThinkingSet = variableOf(environment, "SCM_EARLIER_THINKING") !== undefined;
  const earlierThinking = choice(environment, "SCM_EARLIER_THINKING", earlierThinkingWays);
  const epochs = epochsOf(environment);
  const isOff = choice(environment, "SCM_FOLD", foldWays) === "off";
  if (!isThinkingSet && !isOff) return epochs;
  return {
    ...epochs,
    ...(isThinkingSet ? { earlierThinking } : {}),
    ...(isOff ? { folds: undefined } : {}),
  };
}

/** The kind of the store: the named one, else the one to which the place belongs. */
function storeOf(environment: Environment): StoreKind {
  const place = variableOf(environment, "SCM_STORE");
  const isUrl = place !== undefined && isNodeUrl(place);
  if (isUrl && variableOf(environment, "SCM_STORE_KIND") === undefined) return "xtdb";
  const store = choice(environment, "SCM_STORE_KIND", storeKinds);
  if (!isUrl || store !== "sqlite") return store;
  throw new ConfigError(
    "SCM_STORE_KIND",
    store,
    "xtdb or absent, because SCM_STORE is the URL of an XTDB node",
  );
}

/** Settings of the other policy are checked too: otherwise a mistake in them would appear only later. */
function policyOf(environment: Environment): PolicyOptions {
  const calls = count(environment, "SCM_WINDOW_CALLS");
  const turns = count(environment, "SCM_WINDOW_TURNS");
  const setting = choice(environment, "SCM_SETTING", recentlyUsedNames);
  const alive = count(environment, "SCM_ALIVE");
  const kept = count(environment, "SCM_KEPT");
  const type = choice(environment, "SCM_POLICY", policyKinds);
  return type === "window"
    ? { type, ...defined({ calls, turns }) }
    : { type, setting, ...defined({ alive, kept }) };
}

function xtdbOptions(environment: Environment): XtdbOptions {
  const name = variableOf(environment, "SCM_XTDB_NAME");
  const token = variableOf(environment, "SCM_XTDB_TOKEN");
  const keep = variableOf(environment, "SCM_XTDB_KEEP");
  if (keep !== undefined && keep !== "1" && keep !== "0")
    throw new ConfigError("SCM_XTDB_KEEP", keep, "1 or 0");
  return { ...defined({ name, token }), ...(keep === undefined ? {} : { keep: keep === "1" }) };
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

function count(environment: Environment, variable: string, least = 1): number | undefined {
  const value = variableOf(environment, variable);
  if (value === undefined) return undefined;
  const number = /^\d{1,9}$/u.test(value) ? Number(value) : 0;
  if (number < least) throw new ConfigError(variable, value, `a whole number from ${least}`);
  return number;
}
