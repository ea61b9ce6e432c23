/**
 * `EVALUATE_TASK`: a task is not as the task format requires. `EVALUATE_MODEL`: a model, its prices or its server cannot
 * be used. `EVALUATE_HOST`: a host cannot be started. `EVALUATE_PLAN`: a plan or its options do not fit. `EVALUATE_FILE`:
 * a file of results cannot be read or is not as its format requires.
 */
export type EvaluateErrorCode =
  | "EVALUATE_TASK"
  | "EVALUATE_MODEL"
  | "EVALUATE_HOST"
  | "EVALUATE_PLAN"
  | "EVALUATE_FILE";

/** An evaluation that cannot be done as it was asked for. The message says what to do. */
export class EvaluateError extends Error {
  override readonly name = "EvaluateError";
  readonly code: EvaluateErrorCode;

  constructor(code: EvaluateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Checks name and code, not the class, so it works across two copies of this package. */
  static is(error: unknown): error is EvaluateError {
    return (
      error instanceof Error &&
      error.name === "EvaluateError" &&
      "code" in error &&
      typeof error.code === "string" &&
      error.code.startsWith("EVALUATE_")
    );
  }
}
