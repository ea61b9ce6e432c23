import { EvaluateError } from "../model/evaluate-error.ts";

/** Returns the error of a host that cannot be started. */
export function hostError(message: string, cause?: unknown): EvaluateError {
  return new EvaluateError("EVALUATE_HOST", message, cause === undefined ? {} : { cause });
}
