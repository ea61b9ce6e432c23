import type { ComponentChildren, JSX } from "preact";
import type { AnswerError } from "../data/source.ts";
import type { Answered } from "../data/answered.ts";
import { visibleText } from "../text/visible-text.ts";

const titles: Readonly<Record<string, string>> = {
  STORE_BUSY: "The store is locked",
  STORE_TOO_NEW: "The store has a newer format",
  STORE_TOO_OLD: "The store has an older format",
  STORE_CORRUPT: "A part of the store is damaged",
  STORE_LOST: "The store is gone",
  STORE_UNAVAILABLE: "The store does not answer",
  TOO_MANY_PAGES: "Too many pages are open",
  NOT_FOUND: "Not found",
  NO_CONNECTION: "No connection",
  NO_TOKEN: "The page has no valid token",
};

/** Why there is no answer, in words. */
export function Failure({ error }: { readonly error: AnswerError }): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <h2>{titles[error.code] ?? "No answer"}</h2>
      <p>{visibleText(error.message)}</p>
      <p class="quiet">
        <code>{error.code}</code>{" "}
        <button type="button" class="small" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
    </div>
  );
}

/** Shows an answer, or that it is awaited, or why there is none. */
export function Shown<Answer>({
  answered,
  what,
  children,
}: {
  readonly answered: Answered<Answer>;
  readonly what: string;
  readonly children: (value: Answer) => ComponentChildren;
}): JSX.Element {
  if (answered.state === "failed") return <Failure error={answered.error} />;
  if (answered.state === "loading")
    return (
      <p class="quiet waiting" role="status">
        Reading {what} …
      </p>
    );
  return <>{children(answered.value)}</>;
}

/** A problem of stored data, with its reasons. */
export function Damage({
  title,
  problems,
}: {
  readonly title: string;
  readonly problems: readonly string[];
}): JSX.Element {
  return (
    <div class="notice bad">
      <p>
        <strong>✕ {title}</strong>
      </p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{visibleText(problem)}</li>
        ))}
      </ul>
    </div>
  );
}
