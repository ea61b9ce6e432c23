import {
  canonicalJson,
  type JsonValue,
  presenceOf,
  type StoredVersion,
} from "@self-context-manager/core";

import { CliError } from "../cli-errors.ts";
import {
  type Command,
  type CommandCall,
  targetNote,
  targetOptions,
  versionNote,
  versionOption,
} from "../command.ts";
import { nextCommand } from "../next-command.ts";
import { storedVersionOf } from "../stored-version-of.ts";

export const printCommand: Command = {
  name: "print",
  summary: "print an object's content, byte for byte and nothing else",
  arguments: "TARGET",
  argumentCount: { least: 1, most: 1 },
  options: {
    ...versionOption,
    field: {
      type: "string",
      value: "NAME",
      help: "that field in place of content; JSON where it is no text",
    },
    ...targetOptions,
  },
  notes: `${targetNote}\n${versionNote}`,
  async run(call) {
    await using store = await call.openStore();
    const stored = await storedVersionOf(store, call);
    const field = call.text("field") ?? "content";
    const value = valueOf(stored, field);
    if (value === undefined) throw unknownField(stored, field);
    if (value === null && field === "content") throw noContent(call, stored);
    await call.print(typeof value === "string" ? value : canonicalJson(value));
  },
};

function valueOf({ body, hashes }: StoredVersion, field: string): JsonValue | undefined {
  const all: Readonly<Record<string, JsonValue | undefined>> = { ...body, ...hashes };
  return Object.hasOwn(all, field) ? all[field] : undefined;
}

function unknownField({ body, hashes, version }: StoredVersion, field: string): CliError {
  const names = Object.keys({ ...body, ...hashes }).join(", ");
  return new CliError(
    `object ${body.id} has no field ${JSON.stringify(field)} in version ${version}; it has ${names}`,
  );
}

const reasons = {
  present: "it holds no text",
  unread: "the file was named and never read",
  non_text: "the file is no text",
  missing: "the file is gone; an earlier version may have it",
} as const;

function noContent(call: CommandCall, { body, version }: StoredVersion): CliError {
  return new CliError(
    `object ${body.id} has no content in version ${version}: ${reasons[presenceOf(body)]} (see ${nextCommand(call, "history", body.id)})`,
  );
}
