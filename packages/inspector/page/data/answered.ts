import { AnswerError } from "./source.ts";

/** A question with its answer, or with the reason for having none yet. */
export type Answered<Answer> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: AnswerError }
  | { readonly state: "done"; readonly value: Answer };

/** Any fault as an `AnswerError`, so that the page has words for it. */
export function asError(error: unknown): AnswerError {
  if (error instanceof AnswerError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new AnswerError("NO_ANSWER", `The answer could not be read: ${text}`, { cause: error });
}
