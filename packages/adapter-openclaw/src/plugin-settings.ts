import { fieldsOf, switchesOff } from "@self-context-manager/core/host";

/** The settings of the plugin, with the variables of the environment that mean the same. */
const variables: Readonly<Record<string, string>> = {
  store: "SCM_STORE",
  storeKind: "SCM_STORE_KIND",
  xtdbName: "SCM_XTDB_NAME",
  xtdbToken: "SCM_XTDB_TOKEN",
  xtdbKeep: "SCM_XTDB_KEEP",
  activateUnread: "SCM_ACTIVATE_UNREAD",
  findIn: "SCM_FIND_IN",
  longTexts: "SCM_LONG_TEXTS",
  secrets: "SCM_SECRETS",
  earlierThinking: "SCM_EARLIER_THINKING",
  fold: "SCM_FOLD",
  summaries: "SCM_SUMMARIES",
  summaryModel: "SCM_SUMMARY_MODEL",
  epochs: "SCM_EPOCHS",
  policy: "SCM_POLICY",
  setting: "SCM_SETTING",
  alive: "SCM_ALIVE",
  kept: "SCM_KEPT",
  windowCalls: "SCM_WINDOW_CALLS",
  windowTurns: "SCM_WINDOW_TURNS",
};

/** Whether sessions begin without managed context. */
export function isOffBySettings(settings: unknown, environment: Environment): boolean {
  const { off } = fieldsOf(settings);
  return typeof off === "boolean" ? off : switchesOff(environment["SCM_OFF"]);
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment with the settings of the plugin, which count more. The layout is always the default one: the
 * others move messages, and OpenClaw lets a plugin replace texts only in their places.
 */
export function environmentOf(settings: unknown, environment: Environment): Environment {
  const { SCM_LAYOUT: _, ...others } = environment;
  const given = Object.entries(fieldsOf(settings)).flatMap(([name, value]) => {
    const variable = variables[name];
    return variable === undefined || value === undefined
      ? []
      : [[variable, textOf(value)] as const];
  });
  return { ...others, ...Object.fromEntries(given) };
}

function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "string" ? value : JSON.stringify(value);
}
