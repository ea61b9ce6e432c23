import { isJsonObject, messageOf } from "@self-context-manager/objects";
import { createHash } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";

import { type LogLikelihood, SurpriseError } from "./surprise-model.ts";

/** Results by the hash of model, prompt and answer. */
export interface ResultFile {
  find(key: string): LogLikelihood | undefined;
  /** Stores a result. `place`: where it is from, for a reader of the file. */
  add(key: string, result: LogLikelihood, place: ResultPlace): Promise<void>;
}

interface ResultPlace {
  readonly model: string;
  readonly session: string;
  readonly segment: number;
  readonly call: number;
  readonly view: string;
}

/** The key of a result: the same texts with the same model are never measured twice. */
export function resultKey(model: string, prompt: string, answer: string): string {
  const hash = createHash("sha256");
  for (const text of [model, prompt, answer]) hash.update(`${text.length}\n`).update(text);
  return hash.digest("hex").slice(0, 32);
}

/**
 * The results in a file of JSON lines, and new ones at its end. Without a path the results are only in memory. A last line
 * that was cut off when a run was killed is ignored.
 */
export async function openResults(path: string | undefined): Promise<ResultFile> {
  const text = path === undefined ? "" : await contentOf(path);
  const known = new Map<string, LogLikelihood>();
  for (const [index, line] of text.split("\n").entries()) {
    const result = resultIn(line);
    if (result !== undefined) known.set(result.key, result);
    else if (!isBeginning(line))
      throw new SurpriseError(
        "RESULTS_UNREADABLE",
        `line ${index + 1} of ${String(path)} is no result of scm replay --surprise; choose another file`,
      );
  }
  let before = text === "" || text.endsWith("\n") ? "" : "\n";
  return {
    find: (key) => known.get(key),
    async add(key, { nats, tokens }, place) {
      known.set(key, { nats, tokens });
      if (path === undefined) return;
      await appendFile(path, `${before}${JSON.stringify({ key, ...place, nats, tokens })}\n`);
      before = "";
    },
  };
}

/** Whether a line can be the beginning of a result. Files of other programs are not appended to. */
function isBeginning(line: string): boolean {
  return lineStart.startsWith(line.slice(0, lineStart.length));
}

const lineStart = '{"key":"';

async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return "";
    throw new SurpriseError(
      "RESULTS_UNREADABLE",
      `${path} cannot be read (${messageOf(cause)}); choose another file for the results`,
      { cause },
    );
  }
}

function resultIn(line: string): ({ readonly key: string } & LogLikelihood) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The caller decides whether the line may be damaged.
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { key, nats, tokens } = value;
  if (typeof key !== "string" || typeof nats !== "number" || typeof tokens !== "number")
    return undefined;
  return { key, nats, tokens };
}
