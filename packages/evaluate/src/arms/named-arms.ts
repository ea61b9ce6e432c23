import type { Arm } from "../model/arm.ts";

/** The context tools by the names that the model sees. */
const contextTools = ["activate", "deactivate", "pin", "unpin", "find_objects"] as const;

/** A number of calls or tokens that no session reaches. */
const never = "999999999";

/** Tokens at which the arm `compaction` compacts, unless its name says another number. */
const usualCompaction = 60_000;

/** The arms that have a name of their own, the usual baseline first. */
export const namedArms: readonly Arm[] = [
  {
    name: "plain",
    title: "The host as it is, with its own compaction.",
    isManaged: false,
    environment: {},
  },
  managed("default", "Managed context with the defaults.", {}),
  managed("thrifty", "Managed context that keeps less.", { SCM_SETTING: "thrifty" }),
  managed("careful", "Managed context that keeps more.", { SCM_SETTING: "careful" }),
  managed("literal", "The layout and the policy of the specification.", {
    SCM_LAYOUT: "pooled",
    SCM_POLICY: "window",
  }),
  managed("pooled", "The layout of the specification with the default policy.", {
    SCM_LAYOUT: "pooled",
  }),
  managed("window", "The policy of the specification with the default layout.", {
    SCM_POLICY: "window",
  }),
  managed("no-epochs", "Inactive content leaves the view with the next call.", {
    SCM_EPOCHS: epochs({
      share: 0,
      shareAtTurn: 0,
      shareDeactivated: 0,
      deactivate: "immediate",
      superseded: "at-once",
    }),
  }),
  managed("no-recently-used", "Nothing becomes inactive by itself, only by the model.", {
    SCM_POLICY: "window",
    SCM_WINDOW_CALLS: never,
    SCM_WINDOW_TURNS: never,
  }),
  managed("no-trim", "Long outputs are never shown by their ends.", {
    SCM_EPOCHS: epochs({ trim: null }),
  }),
  managed("no-arguments", "The arguments of calls and replaced texts always stay.", {
    SCM_EPOCHS: epochs({ largeArguments: null, otherArguments: null, replacedTexts: null }),
  }),
  managed("no-folds", "Finished steps are not folded.", { SCM_FOLD: "off" }),
  managed("fresh-ends", "Long outputs are shown by their ends as soon as they arrive.", {
    SCM_EPOCHS: epochs({ freshOutputs: "ends" }),
  }),
  managed("thinking-stays", "The thinking of earlier turns stays in view.", {
    SCM_EARLIER_THINKING: "stays",
  }),
  managed("no-long-texts", "Long texts of the user are no objects.", { SCM_LONG_TEXTS: never }),
  managed("no-breakpoints", "The host places the cache breakpoints.", { SCM_BREAKPOINTS: "host" }),
  managed("summaries", "The model writes a summary of each finished turn.", {
    SCM_SUMMARIES: "turns",
  }),
  {
    ...managed("no-find", "The model cannot use find_objects.", {}),
    withoutTools: ["find_objects"],
  },
  { ...managed("no-activate", "The model cannot use activate.", {}), withoutTools: ["activate"] },
  {
    ...managed("no-context-tools", "The model can use none of the context tools.", {}),
    withoutTools: contextTools,
  },
  compactionArm(usualCompaction, "compaction"),
];

/** Returns an arm of the plain host that compacts at a number of tokens. */
export function compactionArm(tokens: number, name: string): Arm {
  return {
    name,
    title: `The host as it is, with its own compaction at ${tokens} tokens.`,
    isManaged: false,
    environment: {},
    compactsAt: tokens,
  };
}

/** Returns an arm with managed context and some settings. */
export function managed(name: string, title: string, environment: Arm["environment"]): Arm {
  return { name, title, isManaged: true, environment };
}

function epochs(settings: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(settings);
}
