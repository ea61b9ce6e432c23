import { EvaluateError } from "../model/evaluate-error.ts";
import type { CallRecord, RunEnd } from "../model/run-record.ts";
import type { PlannedRun } from "./make-plan.ts";

/**
 * Throws if a run says nothing about its arm: the host could not begin, or the provider answered no request. With a wrong
 * key or without a network all runs would be such ones, so the evaluation stops.
 */
export function checkAnswered(
  { parts: { task, arm, model } }: PlannedRun,
  { end, error = "" }: { readonly end: RunEnd; readonly error?: string },
  calls: readonly CallRecord[],
): void {
  if (end !== "host-error" && end !== "provider-error") return;
  if (calls.some(({ status, isOverWindow }) => status < 400 || isOverWindow === true)) return;
  const last = calls.at(-1);
  const rest = "The run is not kept; the same command repeats it";
  if (last === undefined)
    throw new EvaluateError(
      "EVALUATE_HOST",
      `the host made no call for ${task} in the arm ${arm}: ${error.trim() || "it gave no reason"}. ${rest}`,
    );
  throw new EvaluateError(
    "EVALUATE_MODEL",
    `${model} answered no request of ${task} in the arm ${arm}: ${last.error ?? error} (HTTP status ${last.status}). ${adviceFor(last.status)}. ${rest}`,
  );
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return "Check the key and the variable that has it";
  if (status === 402) return "Check the account of the provider";
  if (status === 404) return "Check the name of the model and the URL";
  if (status === 502 || status === 504) return "Check the URL and the network";
  if (status === 429 || status >= 500) return "Try again later, or with a limit of requests";
  return "Check the model and its options";
}
