import {
  configFromEnvironment,
  environmentVariables,
  sessionSettings,
} from "@self-context-manager/compose";

import type { Arm } from "../model/arm.ts";
import { EvaluateError } from "../model/evaluate-error.ts";
import { managed } from "./named-arms.ts";
import { nearNames } from "../model/near-names.ts";

/** Variables of the Pi adapter alone. */
const piVariables: readonly string[] = ["SCM_BREAKPOINTS"];

/** Variables that each run sets by itself. */
const ownVariables: ReadonlySet<string> = new Set(
  Object.keys(environmentVariables).filter((name) => /^SCM_(STORE|XTDB)/u.test(name)),
);

/** Returns the arm of some settings: `SCM_ALIVE=40,SCM_FOLD=off`. Values can contain commas, as JSON does. */
export function settingsArm(text: string, name: string): Arm {
  const environment = Object.fromEntries(
    text.split(/,(?=SCM_\w+=)/u).map((part): readonly [string, string] => {
      const at = part.indexOf("=");
      if (at === -1)
        throw wrong(`${name}: ${JSON.stringify(part)} is no setting; write setting:NAME=VALUE`);
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  );
  checkSettings(name, environment);
  return managed(name, `Managed context with ${text}.`, environment);
}

/** Checks settings as the context manager itself reads them. Throws `EvaluateError` with `EVALUATE_PLAN`. */
export function checkSettings(name: string, environment: Arm["environment"]): void {
  const known = [...Object.keys(environmentVariables), ...piVariables];
  for (const variable of Object.keys(environment)) {
    if (ownVariables.has(variable))
      throw wrong(`${name}: ${variable} cannot be set, because each run has a store of its own`);
    if (!known.includes(variable)) {
      // What all names begin with makes none of them near.
      const ends = known.map((one) => one.replace(/^SCM_/u, ""));
      const near = nearNames(variable.replace(/^SCM_/u, ""), ends)
        .map((end) => `SCM_${end}`)
        .join(" or ");
      const hint = near === "" ? `the settings are ${known.join(", ")}` : `did you mean ${near}?`;
      throw wrong(`${name}: there is no setting ${variable}; ${hint}`);
    }
  }
  const breakpoints = environment["SCM_BREAKPOINTS"] ?? "";
  if (!["", "own", "host"].includes(breakpoints))
    throw wrong(`${name}: SCM_BREAKPOINTS is ${breakpoints}; it must be own or host`);
  try {
    sessionSettings(configFromEnvironment(environment));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw wrong(`${name}: ${reason}`, error);
  }
}

function wrong(message: string, cause?: unknown): EvaluateError {
  return new EvaluateError("EVALUATE_PLAN", message, cause === undefined ? {} : { cause });
}
