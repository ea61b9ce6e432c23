import {
  type ActivationPolicy,
  type EpochSettings,
  type Layout,
  namedNumbers,
  recentlyUsedPolicy,
  type ReadLimits,
  type SessionDependencies,
  windowPolicy,
} from "@self-context-manager/core";

import type { ContextManagerOptions, PolicyOptions } from "./context-manager-options.ts";
import {
  activateUnreadWays,
  findInPlaces,
  layoutKinds,
  leastLongText,
  oneOf,
  policyKinds,
  recentlyUsedNames,
} from "./kinds.ts";
import { layouts } from "./layouts.ts";

/** The options that decide what a session shows. */
export type SessionSettingsOptions = Pick<
  ContextManagerOptions,
  "policy" | "layout" | "epochs" | "longTexts" | "activateUnread" | "findIn" | "readLimits"
>;

/** The parts of a session that decide what it shows, without those that connect it with a machine. */
export type SessionSettings = Required<
  Pick<SessionDependencies, "policy" | "layout" | "readLimits">
> &
  Pick<SessionDependencies, "activateUnread" | "findIn" | "longTexts">;

/** The limits that tools for reading files of coding agents usually have. */
const usualReadLimits: ReadLimits = { lines: 2000, characters: 50 * 1024 };

/**
 * Returns the parts of a session for these options. Without options they are the defaults, with which
 * `openContextManager` opens sessions. Throws `RangeError` for an option whose value is not allowed.
 */
export function sessionSettings(options: SessionSettingsOptions = {}): SessionSettings {
  return {
    policy: policyOf(options.policy ?? { type: "recently-used" }, options.epochs),
    layout: layoutOf(options),
    ...activateUnreadOf(options),
    ...findInOf(options),
    ...longTextsOf(options),
    readLimits: options.readLimits ?? usualReadLimits,
  };
}

function longTextsOf({
  longTexts: given,
}: SessionSettingsOptions): Pick<SessionSettings, "longTexts"> {
  if (given === undefined) return {};
  const isNumber = Number.isInteger(given) || given === Number.POSITIVE_INFINITY;
  if (!isNumber || given < leastLongText) {
    throw new RangeError(
      `longTexts is ${given}; it must be a whole number from ${leastLongText}, or Infinity`,
    );
  }
  return { longTexts: given };
}

/** Without the option, the session decides by the host's tools. */
function activateUnreadOf({
  activateUnread: given,
}: SessionSettingsOptions): Pick<SessionSettings, "activateUnread"> {
  if (given === undefined) return {};
  return { activateUnread: known("activateUnread", activateUnreadWays, given) };
}

function findInOf({ findIn: given }: SessionSettingsOptions): Pick<SessionSettings, "findIn"> {
  return given === undefined ? {} : { findIn: known("findIn", findInPlaces, given) };
}

function layoutOf({ layout = "epoch", epochs, policy }: SessionSettingsOptions): Layout {
  if (typeof layout === "string")
    return layouts[known("layout", layoutKinds, layout)]({
      ...epochsOf(policy, epochs),
      ...epochs,
    });
  checkInstance(
    "layout",
    layout,
    ["render", "rebuild", "describe"],
    `${layoutKinds.join(" or ")}, or a Layout`,
  );
  if (epochs !== undefined)
    throw new RangeError(
      "epochs does not apply to a layout that is already made; leave it out, or pass the settings to epochLayout",
    );
  return layout;
}

/** Returns the settings of epochs that belong to a named setting. Other policies have the defaults. */
function epochsOf(
  policy: SessionSettingsOptions["policy"],
  epochs: SessionSettingsOptions["epochs"],
): Partial<EpochSettings> {
  if (policy === undefined || !isTagged(policy) || policy.type === "window") return {};
  return namedNumbers(policy.setting ?? "default", epochs).epochs;
}

function policyOf(
  options: ActivationPolicy | PolicyOptions,
  epochs: SessionSettingsOptions["epochs"],
): ActivationPolicy {
  if (!isTagged(options)) {
    const methods = ["leaving", "keepsArguments", "staysAtSweep"];
    const allowed = `options with the type ${policyKinds.join(" or ")}, or an ActivationPolicy`;
    checkInstance("policy", options, methods, allowed);
    return options;
  }
  known("policy", policyKinds, options.type);
  if (options.type === "window") {
    const { type: _window, ...numbers } = options;
    return windowPolicy(numbers);
  }
  const { type: _recentlyUsed, setting = "default", ...numbers } = options;
  known("policy setting", recentlyUsedNames, setting);
  const { alive, kept } = { ...namedNumbers(setting, epochs).policy, ...numbers };
  return recentlyUsedPolicy({ alive, kept: numbers.kept ?? Math.min(kept, alive) });
}

function isTagged(given: unknown): given is PolicyOptions {
  return typeof given === "object" && given !== null && "type" in given;
}

/** Checks that an option has the methods of its port, because callers without types can pass anything. */
export function checkInstance(
  option: string,
  given: unknown,
  methods: readonly string[],
  allowed: string,
): void {
  const isObject = typeof given === "object" && given !== null;
  const missing = methods.find(
    (name) => !isObject || typeof Reflect.get(given, name) !== "function",
  );
  if (missing === undefined) return;
  const found = isObject
    ? `is an object without ${missing}`
    : `is ${JSON.stringify(given) ?? `a ${typeof given}`}`;
  throw new RangeError(`${option} ${found}; it must be ${allowed}`);
}

/** Checks a name, because callers without types can pass any text. */
export function known<Name extends string>(
  option: string,
  names: readonly Name[],
  given: Name,
): Name {
  const name = oneOf(names, given);
  if (name === undefined) {
    throw new RangeError(`${option} is ${JSON.stringify(given)}; it must be ${names.join(" or ")}`);
  }
  return name;
}
