import { appendFileSync, existsSync, readFileSync } from "node:fs";

import { fieldsOf, isJsonList, type JsonObject } from "@self-context-manager/objects";

import { EvaluateError } from "../model/evaluate-error.ts";
import type { MeteredAnswer } from "../model/metered-answer.ts";
import type { CallRecord } from "../model/run-record.ts";
import { textIn, tokensIn } from "./answers/answer-reader.ts";
import { jsonIn } from "./json-in.ts";
import { type ChainedText, unchainText } from "./text-chain.ts";

/** A request of a run with its answer. */
export interface KeptRequest {
  readonly number: number;
  readonly step: number;
  /** The body of the request. */
  readonly body: string;
  /** Absent: the process ended before the answer did. */
  readonly answer?: MeteredAnswer;
  readonly call?: CallRecord;
}

/** The beginning of a call, written before the request is sent. */
interface RequestLine extends ChainedText {
  readonly number: number;
  readonly step: number;
}

/** The end of a call. */
interface AnswerLine {
  readonly number: number;
  readonly answer: MeteredAnswer;
  readonly call: CallRecord;
}

/**
 * The requests of a run as JSON lines. Each line is written before the function returns: after a crash, every request
 * that was sent is in the file.
 */
export interface RequestFile {
  writeRequest(line: RequestLine): void;
  writeAnswer(line: AnswerLine): void;
}

/** Begins a run in a file. Earlier runs in it stay, because they show what was paid. Without a path, nothing is kept. */
export function requestFile(path: string | undefined): RequestFile {
  const write = (type: string, line: object): void => {
    if (path !== undefined) appendFileSync(path, `${JSON.stringify({ type, ...line })}\n`);
  };
  // A crash can leave a line without its end.
  if (path !== undefined && existsSync(path) && !/^$|\n$/u.test(readFileSync(path, "utf8")))
    appendFileSync(path, "\n");
  write("run", {});
  return {
    writeRequest: (line) => write("request", line),
    writeAnswer: (line) => write("answer", line),
  };
}

/** Returns the requests of the last run in a file, in order. Throws `EvaluateError` with `EVALUATE_FILE`. */
export function readRequests(path: string): readonly KeptRequest[] {
  return runsIn(path).at(-1) ?? [];
}

/** The requests of each run in a file. */
function runsIn(path: string): readonly (readonly KeptRequest[])[] {
  const runs: KeptRequest[][] = [];
  const lines = readFileSync(path, "utf8").split("\n");
  const values = lines.map((line) => fieldsOf(jsonIn(line)));
  for (const [index, value] of values.entries()) {
    const run = runs.at(-1);
    if (value["type"] === "run") runs.push([]);
    else if (value["type"] === "request" && run !== undefined) {
      run.push(requestOf(value, run.at(-1)?.body ?? ""));
    } else if (value["type"] === "answer" && run !== undefined) {
      const place = run.findIndex(({ number }) => number === value["number"]);
      const request = run[place];
      if (request !== undefined) run[place] = { ...request, ...endOf(value) };
    } else if (!isTorn(index, lines, values)) {
      throw new EvaluateError(
        "EVALUATE_FILE",
        `${path} line ${index + 1} is no line of a file of requests. Run the task again.`,
      );
    }
  }
  return runs;
}

/** Whether a line is empty or was cut off: then it is the last one of its process. */
function isTorn(index: number, lines: readonly string[], values: readonly JsonObject[]): boolean {
  if (lines[index] === "") return true;
  return index === lines.length - 1 || values[index + 1]?.["type"] === "run";
}

function requestOf(line: JsonObject, before: string): KeptRequest {
  return {
    number: tokensIn(line["number"]) ?? 0,
    step: tokensIn(line["step"]) ?? 0,
    body: unchainText(before, {
      shared: tokensIn(line["shared"]) ?? 0,
      sharedEnd: tokensIn(line["sharedEnd"]) ?? 0,
      rest: textIn(line["rest"]),
    }),
  };
}

function endOf(line: JsonObject): Pick<KeptRequest, "answer" | "call"> {
  const { text, toolCalls } = fieldsOf(line["answer"]);
  const answer = {
    text: textIn(text),
    toolCalls: (isJsonList(toolCalls) ? toolCalls : []).map((call) => ({
      name: textIn(fieldsOf(call)["name"]),
      arguments: textIn(fieldsOf(call)["arguments"]),
    })),
  };
  // The meter wrote the record of the call itself.
  return { answer, call: line["call"] as unknown as CallRecord };
}
