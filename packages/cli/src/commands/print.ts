import { canonicalJson } from "@self-context-manager/core/host";
import type { JsonValue, StoredVersion } from "@self-context-manager/core";
import { presenceOf } from "@self-context-manager/objects";

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
  summary: "print an object's content byte for byte, without anything else",
  arguments: "TARGET",
  argumentCount: { least: 1, most: 1 },
  options: {
    ...versionOption,
    field: {
      value: "NAME",
      help: "this field instead of content; a value that is no text is printed as JSON",
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
  present: "the content is not text",
  unread: "the file was named, but never read",
  non_text: "the file is not text",
  missing: "the file is missing; an earlier version may have its content",
} as const;

function noContent(call: CommandCall, { body, version }: StoredVersion): CliError {
  return new CliError(
    `object ${body.id} has no content in version ${version}: ${reasons[presenceOf(body)]} (see ${nextCommand(call, "history", body.id)})`,
  );
}
