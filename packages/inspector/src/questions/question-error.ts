import { messageOf, type StoreErrorCode } from "@self-context-manager/objects";
import { FileError, StoreError } from "@self-context-manager/objects";

import type { ErrorAnswer } from "../answers.ts";

/** A question that has no answer. The message says what is wrong and what to do. */
export class QuestionError extends Error {
  override readonly name = "QuestionError";
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;

  constructor(code: "NOT_FOUND" | "BAD_QUESTION", message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = code === "NOT_FOUND" ? 404 : 400;
  }
}

/** An error as the page shows it. */
export interface FailedQuestion {
  readonly status: number;
  readonly answer: ErrorAnswer;
}

const advice: Readonly<Partial<Record<StoreErrorCode, string>>> = {
  STORE_BUSY: "Another process keeps the store locked. Wait until it is done, then try again.",
  STORE_LOST:
    "The files of the store were deleted, moved or replaced. End this command and start it again on the store.",
  STORE_CORRUPT:
    "A part of the store is damaged. `scm import` of an export into a new store restores it; the other parts can still be read.",
  STORE_TOO_NEW:
    "A newer version of self-context-manager wrote this. Update the command, then start it again.",
  STORE_TOO_OLD:
    "A version of self-context-manager before the first release wrote this. No release can read it.",
  STORE_UNAVAILABLE: "The store does not answer. Start it, then try again.",
  STORE_CLOSED: "The store was closed. Start the command again.",
};

const busy: ReadonlySet<string> = new Set(["STORE_BUSY", "STORE_UNAVAILABLE", "STORE_CLOSED"]);

/** Returns the answer to a question that failed. */
export function failedQuestion(error: unknown): FailedQuestion {
  if (error instanceof QuestionError)
    return failed(error.status, error.code, sentence(error.message));
  if (StoreError.is(error)) {
    const what = advice[error.code];
    const text = sentence(error.message);
    return failed(
      busy.has(error.code) ? 503 : 500,
      error.code,
      what === undefined ? text : `${what} (${text})`,
    );
  }
  const code = FileError.is(error) ? error.code : "INSPECTOR_FAILED";
  return failed(500, code, `This cannot be shown because of an error: ${messageOf(error)}`);
}

function failed(status: number, code: string, message: string): FailedQuestion {
  return { status, answer: { error: { code, message } } };
}

function sentence(text: string): string {
  const start = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/u.test(start) ? start : `${start}.`;
}
