import type { EpochSettings } from "@self-context-manager/core";
import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

import { ConfigError } from "./config-error.ts";
import { type Environment, variableOf } from "./environment.ts";

/** What a field of the settings of epochs can have. */
interface Field {
  readonly allowed: string;
  readonly isAllowed: (value: unknown) => boolean;
}

const fields: Readonly<Record<keyof EpochSettings, Field>> = {
  share: number(),
  shareAtTurn: number(),
  shareDeactivated: number(),
  small: whole(0),
  largeArguments: orNull(whole(1)),
  replacedTexts: orNull(whole(0)),
  otherArguments: orNull(numbers(["over", "age"])),
  earlierThinking: oneOf(["stays", "leaves"]),
  folds: orNull(numbers(["age"])),
  trim: orNull(numbers(["over", "head", "tail"])),
  freshOutputs: oneOf(["whole", "ends"]),
  deactivate: oneOf(["at-epoch-end", "immediate"]),
  superseded: oneOf(["at-epoch-end", "at-once"]),
};

const variable = "SCM_EPOCHS";

/** A line about the variable for help texts. */
export const epochsHelp: string = `settings of epochs as JSON, with the fields ${Object.keys(fields).join(", ")}`;

/**
 * Reads the settings of epochs from their variable: JSON in which `null` means that a limit does not exist. Undefined if
 * the variable is not set. Throws `ConfigError`, which names the field, for a value that is not allowed.
 */
export function epochsOf(environment: Environment): Partial<EpochSettings> | undefined {
  const text = variableOf(environment, variable);
  if (text === undefined) return undefined;
  const given = parsed(text);
  if (given === undefined || !isJsonObject(given))
    throw new ConfigError(variable, text, 'an object in JSON, such as {"deactivate":"immediate"}');
  for (const [name, value] of Object.entries(given)) {
    if (!isField(name)) {
      const known = Object.keys(fields).join(" or ");
      throw new ConfigError(variable, text, `JSON without ${name}; a field is ${known}`);
    }
    const { allowed, isAllowed } = fields[name];
    if (!isAllowed(value))
      throw new ConfigError(variable, text, `JSON whose ${name} is ${allowed}`);
  }
  const settings = Object.entries(given).map(([name, value]) => [name, value ?? undefined]);
  // Each field was checked by its name.
  return Object.fromEntries(settings) as Partial<EpochSettings>;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The caller names the variable.
    return undefined;
  }
}

function isField(name: string): name is keyof EpochSettings {
  return Object.hasOwn(fields, name);
}

function number(): Field {
  return {
    allowed: "a number from 0",
    isAllowed: (value) => typeof value === "number" && value >= 0,
  };
}

function whole(least: number): Field {
  return {
    allowed: `a whole number from ${least}`,
    isAllowed: (value) => isWhole(value, least),
  };
}

function isWhole(value: unknown, least: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least;
}

function oneOf(names: readonly string[]): Field {
  return {
    allowed: names.join(" or "),
    isAllowed: (value) => typeof value === "string" && names.includes(value),
  };
}

function numbers(names: readonly string[]): Field {
  return {
    allowed: `an object with the whole numbers ${names.join(", ")}`,
    isAllowed: (value) =>
      typeof value === "object" &&
      value !== null &&
      Object.keys(value).length === names.length &&
      names.every((name) => isWhole(Reflect.get(value, name), 0)),
  };
}

function orNull({ allowed, isAllowed }: Field): Field {
  return {
    allowed: `${allowed}, or null`,
    isAllowed: (value) => value === null || isAllowed(value),
  };
}
