import { isJsonObject, type JsonObject, type JsonValue } from "@self-context-manager/objects";
import { type StandIn, standInsIn } from "../lines/stand-ins.ts";
import type { CallFacts } from "./call-kind.ts";
import type { ToolFacts } from "./tool-facts.ts";

/** The stand-ins in the arguments of a call that can write a file. */
export interface WrittenStandIns {
  readonly found: readonly WrittenStandIn[];
  /** The files that the call names. */
  readonly paths: readonly string[];
}

/** A stand-in in an argument. */
export interface WrittenStandIn extends StandIn {
  /** Whether the argument contains nothing else. */
  readonly isAlone: boolean;
}

/**
 * Returns the argument stubs and omission marks in the arguments of a call, also inside longer texts and nested values.
 * Returns none for a call that writes no file. Whether they are refused is not decided here.
 */
export function writtenStandIns(
  toolFacts: ToolFacts,
  toolName: string,
  args: JsonObject,
): WrittenStandIns {
  const found = standInsOf(args);
  if (found.length === 0) return { found, paths: [] };
  const facts = toolFacts(toolName, args);
  return { found: canWrite(facts) ? found : [], paths: facts.paths };
}

/**
 * Whether a call can write a file. Any command can, by a redirection or by a here-document for a program. So can a tool
 * of an unknown kind that names a file.
 */
export function canWrite({ kind, paths, writtenPath }: CallFacts): boolean {
  if (writtenPath !== undefined || kind === "write" || kind === "edit") return true;
  return kind === "command" || (kind === "other" && paths.length > 0);
}

function standInsOf(value: JsonValue | undefined): readonly WrittenStandIn[] {
  if (typeof value === "string") {
    // Nothing stands for no text, so a file can get a stand-in in two calls: first with the number 0.
    return standInsIn(value)
      .filter(({ characters }) => characters > 0)
      .map((one) => ({ ...one, isAlone: value.trim() === one.text }));
  }
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(standInsOf);
  return isJsonObject(value) ? Object.values(value).flatMap(standInsOf) : [];
}
