import type { Arm } from "../model/arm.ts";
import { EvaluateError } from "../model/evaluate-error.ts";
import { compactionArm, namedArms } from "./named-arms.ts";
import { nearNames } from "../model/near-names.ts";
import { settingsArm } from "./settings-arm.ts";

/** The forms of arms that are not only a name, for help texts. */
export const armForms: Readonly<Record<string, string>> = {
  "compaction:TOKENS": "the plain host with its own compaction at this number of tokens",
  "extension:NPM-NAME[@VERSION]": "the plain host with another extension",
  "setting:NAME=VALUE,…": "managed context with settings of your own",
};

/**
 * Returns the arms with these names, in their order. Throws `EvaluateError` with `EVALUATE_PLAN` for a name that is
 * unknown, or that is there twice.
 */
export function findArms(names: readonly string[]): readonly Arm[] {
  const arms = names.map(findArm);
  const twice = arms.find(({ name }, index) => arms.findIndex((arm) => arm.name === name) < index);
  if (twice !== undefined) throw wrong(`the arm ${twice.name} is there twice; name each arm once`);
  return arms;
}

/**
 * Splits a list of names at its commas. A comma inside the settings of an arm splits nothing: in
 * `plain,setting:SCM_ALIVE=40,SCM_FOLD=off,default` are three names.
 */
export function armNames(text: string): readonly string[] {
  const names: string[] = [];
  for (const part of text.split(",")) {
    const before = names.at(-1) ?? "";
    const isName = namedArms.some(({ name }) => name === part) || form(part) !== undefined;
    if (before.startsWith("setting:") && !isName) names.splice(-1, 1, `${before},${part}`);
    else names.push(part);
  }
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

function findArm(text: string): Arm {
  const named = namedArms.find(({ name }) => name === text);
  if (named !== undefined) return named;
  const given = form(text);
  switch (given?.type) {
    case "setting":
      return settingsArm(given.value, fileName(text));
    case "extension":
      return extensionArm(given.value, fileName(text));
    case "compaction":
      if (!/^[1-9]\d{3,8}$/u.test(given.value))
        throw wrong(`${text}: write a number of tokens from 1000, such as compaction:60000`);
      return compactionArm(Number(given.value), fileName(text));
    case undefined:
      throw unknown(text);
  }
}

interface Form {
  readonly type: "setting" | "extension" | "compaction";
  readonly value: string;
}

function form(text: string): Form | undefined {
  const at = text.indexOf(":");
  const value = text.slice(at + 1);
  const type = text.slice(0, Math.max(at, 0));
  if (type !== "setting" && type !== "extension" && type !== "compaction") return undefined;
  return { type, value };
}

/** The names that npm allows, with a version, a range or a tag. */
const packageName = /^(?:@[a-z\d~-][\w.~-]*\/)?[a-z\d~-][\w.~-]*(?:@[^\s@]+)?$/u;

function extensionArm(extension: string, name: string): Arm {
  if (!packageName.test(extension))
    throw wrong(`${extension} is not the npm name of an extension; write extension:NAME@VERSION`);
  const title = `The plain host with the extension ${extension}.`;
  return { name, title, isManaged: false, environment: {}, extension };
}

/** Names of arms are names of folders. */
function fileName(text: string): string {
  return text.replaceAll(/[^\w.]+/gu, "-").replaceAll(/^-|-$/gu, "");
}

function unknown(text: string): EvaluateError {
  const names = namedArms.map(({ name }) => name);
  const near = nearNames(text, names);
  const hint = near.length === 0 ? "." : `; did you mean ${near.join(" or ")}?`;
  const all = [...names, ...Object.keys(armForms)].join(", ");
  return wrong(`there is no arm ${JSON.stringify(text)}${hint} The arms are ${all}.`);
}

function wrong(message: string): EvaluateError {
  return new EvaluateError("EVALUATE_PLAN", message);
}
