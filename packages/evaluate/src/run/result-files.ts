import { messageOf } from "@self-context-manager/objects";
import { readFile } from "node:fs/promises";

import { EvaluateError } from "../model/evaluate-error.ts";

/** Reads a file of results; undefined if it does not exist. Rejects with `EvaluateError` and `EVALUATE_FILE`. */
export async function readResultText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw unreadableFile(path, cause);
  }
}

/** Reads a JSON file of results; undefined if it does not exist. Rejects with `EvaluateError` and `EVALUATE_FILE`. */
export async function readResultJson(path: string): Promise<unknown> {
  const text = await readResultText(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

/** The error of a file of results that cannot be read. */
export function unreadableFile(path: string, cause: unknown): EvaluateError {
  return new EvaluateError("EVALUATE_FILE", `${path} cannot be read (${messageOf(cause)})`, {
    cause,
  });
}
