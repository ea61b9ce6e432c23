import {
  type JsonObject,
  oneLine,
  presenceOf,
  sha256,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { executionField, type ToolEffect } from "../calls/execution.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { Target } from "./resolve-target.ts";

/** The answer of a context tool. */
export interface ToolAnswer {
  readonly ok: boolean;
  /** The report. It is stored with the tool call, and the model gets it or the contents that it names. */
  readonly text: string;
  /**
   * The text of the result in the host, which the user sees: for `read`, the file's text and after it the report (§18.1).
   * Default: the report.
   */
  readonly hostText?: string;
  /** The hash of the text of the result, as it is stored. Default: that of the text. */
  readonly textHash?: string;
  readonly effects: readonly ToolEffect[];
  /** Whether the text is a content. It is then shown, and can leave the view, like the output of another tool. */
  readonly isOutput?: boolean;
}

/** What an adapter stores with the result of a context tool: objects by their names. */
export type AnswerDetails = Readonly<Record<string, JsonObject>>;

/** Returns the text that an adapter passes to its host as the result of a context tool. */
export function hostText(answer: ToolAnswer): string {
  return answer.hostText ?? answer.text;
}

/**
 * Returns the details of a context tool's result. The host stores them with the message, so that its effects can be
 * applied again from the host's history.
 */
export function answerDetails(answer: ToolAnswer): AnswerDetails {
  if (answer.isOutput === true) return {};
  const { text, effects, hostText: shown, textHash } = answer;
  const hash = shown === undefined ? {} : { text_hash: textHash ?? sha256(shown) };
  return { [executionField]: { report: text, effects, ...hash } };
}

/** Returns an answer of a call that did nothing. It is one line, although it can quote a name or an error. */
export function refusal(text: string): ToolAnswer {
  return { ok: false, text: oneLine(text), effects: [] };
}

/**
 * Returns the refusal for a locked object outside the pool: only its own session shows a chat, a system prompt or a session,
 * and each version of a view is a call (decision D42).
 */
export function lockedElsewhere(given: string): ToolAnswer {
  return refusal(
    `${JSON.stringify(given)} is locked: it is a record of a session, and is neither shown nor changed here.`,
  );
}

/** Returns the answer for a name of no object, or of several (decision D45). */
export function notFound(
  { readTool }: Pick<SessionScope, "readTool">,
  given: string,
  target: Extract<Target, { type: "unknown" | "ambiguous" }>,
): ToolAnswer {
  const shown = JSON.stringify(given);
  if (target.type === "ambiguous") {
    const names = target.candidates.join(", ");
    if (target.by === "shown")
      return refusal(`${shown} is the shown name of several objects: ${names}. Give a handle.`);
    return refusal(
      target.by === "id"
        ? `${shown} is the beginning of several ids: ${names}. Give one of these handles.`
        : `${shown} names several objects: ${names}. Give one of these paths.`,
    );
  }
  const near =
    target.candidates.length === 0 ? "" : ` Did you mean ${target.candidates.join(", ")}?`;
  const what = given === "" ? "No object was named." : `No object is known as ${shown}.${near}`;
  return refusal(
    `${what} Give a handle that the context shows, an id, a nickname or a path; ${readTool} opens an unknown file.`,
  );
}

/**
 * Returns the reason why an object has no content to show, or undefined if it has content (decision D12). `last`: the last
 * version of a missing file that was there.
 */
export function noContentNote(
  handle: string,
  stored: StoredMetadata,
  last?: StoredMetadata,
): string | undefined {
  const { body } = stored;
  switch (presenceOf(body)) {
    case "non_text":
      return `${handle}: content unavailable (non-text file, ${Number(body["size"] ?? 0)} bytes).`;
    case "missing":
      return `${handle}: the file is missing; it was last at ${oneLine(body.provenance.origin)}${last === undefined ? "" : ` at ${last.at.tx_time}`}, and was found missing at ${stored.at.tx_time}. Its earlier versions are kept.`;
    case "unread":
    case "present":
      return undefined;
  }
}
