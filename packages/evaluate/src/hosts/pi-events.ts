import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@self-context-manager/objects";

/** What Pi's events say about the turn since its prompt. */
export interface PiTurn {
  /** The last text of the assistant that is not empty. */
  readonly text: string;
  /** The error of the last answer, if it has one. */
  readonly error?: string;
  /** Whether a run began, and whether the last one is at rest. A `/command` begins none. */
  readonly isRunning: boolean;
  /** Whether a release that does not settle is idle only until its next try. */
  readonly isAboutToRetry: boolean;
  /** The number of events after which Pi can be at rest. */
  readonly changes: number;
  /** Warnings and errors of extensions. */
  readonly notices: readonly string[];
}

export const emptyTurn: PiTurn = {
  text: "",
  isRunning: false,
  isAboutToRetry: false,
  changes: 0,
  notices: [],
};

/** Returns the turn after one more event. */
export function turnAfter(turn: PiTurn, event: JsonObject): PiTurn {
  const { type } = event;
  switch (type) {
    case "message_end":
      return afterMessage(turn, event["message"]);
    case "agent_start":
      return { ...turn, ...changed(turn), isRunning: true, isAboutToRetry: false };
    case "agent_settled":
      return { ...turn, ...changed(turn), isRunning: false };
    case "agent_end":
      return { ...turn, ...changed(turn) };
    case "auto_retry_start":
      return { ...turn, ...changed(turn), isAboutToRetry: true };
    case "auto_retry_end":
      return { ...turn, ...changed(turn), isAboutToRetry: false };
    case "compaction_end":
      return { ...turn, ...changed(turn), isAboutToRetry: event["willRetry"] === true };
    case "extension_error":
      return noticed(turn, `${textOf(event["extensionPath"])}: ${textOf(event["error"])}`);
    case "extension_ui_request":
      return isWarning(event) ? noticed(turn, textOf(event["message"])) : turn;
    default:
      return turn;
  }
}

function changed(turn: PiTurn): Pick<PiTurn, "changes"> {
  return { changes: turn.changes + 1 };
}

function noticed(turn: PiTurn, text: string): PiTurn {
  return { ...turn, notices: [...turn.notices, text] };
}

function isWarning(event: JsonObject): boolean {
  const { method, notifyType } = event;
  return method === "notify" && (notifyType === "warning" || notifyType === "error");
}

function afterMessage(turn: PiTurn, message: JsonValue | undefined): PiTurn {
  if (message === undefined || !isJsonObject(message) || message["role"] !== "assistant")
    return turn;
  const text = textOfBlocks(message["content"]);
  const { error: _earlier, ...rest } = turn;
  const error = errorOf(message);
  return {
    ...rest,
    text: text === "" ? turn.text : text,
    ...(error === undefined ? {} : { error }),
  };
}

function errorOf(message: JsonObject): string | undefined {
  const { stopReason, errorMessage } = message;
  if (stopReason !== "error" && stopReason !== "aborted") return undefined;
  return typeof errorMessage === "string" && errorMessage !== "" ? errorMessage : stopReason;
}

function textOfBlocks(content: JsonValue | undefined): string {
  if (content === undefined || !isJsonList(content)) return textOf(content);
  return content
    .map((block) => (isJsonObject(block) && block["type"] === "text" ? textOf(block["text"]) : ""))
    .join("");
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
