import type { JsonObject } from "@self-context-manager/core";

/** One part of a recorded message, in the form of the neutral format. */
export type RecordedBlock = RecordedText | RecordedThinking | RecordedToolCall | RecordedImage;

export interface RecordedText {
  readonly type: "text";
  readonly text: string;
}

/** What the model thought; its signature is left out. */
export interface RecordedThinking {
  readonly type: "thinking";
  readonly thinking: string;
}

export interface RecordedToolCall {
  readonly type: "toolCall";
  /** Unique within the session: an id that the recorder used again has `#2`, `#3` … after it. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** An image without its data. */
export interface RecordedImage {
  readonly type: "image";
  readonly mimeType: string;
  readonly data: "";
  readonly elided: true;
  /** Of the base64 text that the recording held; 0 where it held only a place to find it. */
  readonly bytes: number;
}

/** What the provider reported for one model call, in tokens; `input` is what was read from no cache. */
export interface RecordedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface RowTime {
  /** Milliseconds since 1970. */
  readonly timestamp?: number;
}

/** A system prompt. */
export interface RecordedSystem extends RowTime {
  readonly role: "system";
  readonly content: readonly RecordedText[];
}

export interface RecordedUser extends RowTime {
  readonly role: "user";
  readonly content: readonly (RecordedText | RecordedImage)[];
  /** Not typed by a person: instructions files, the environment, hooks, summaries. */
  readonly synthetic?: true;
  /** The recording was compacted here, and this row is the summary: a segment starts with it. */
  readonly compaction?: true;
}

/** One model call. */
export interface RecordedAssistant extends RowTime {
  readonly role: "assistant";
  readonly content: readonly (RecordedText | RecordedThinking | RecordedToolCall)[];
  readonly provider?: string;
  readonly model?: string;
  readonly stopReason?: string;
  readonly usage?: RecordedUsage;
}

/** The one result of a call. Those of a model call follow it at once, in the order in which they came. */
export interface RecordedToolResult extends RowTime {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (RecordedText | RecordedImage)[];
  readonly isError: boolean;
  /** The recording has no result for this call. */
  readonly synthetic?: true;
}

/** A row of the neutral format, whichever recorder wrote it. */
export type RecordedMessage =
  | RecordedSystem
  | RecordedUser
  | RecordedAssistant
  | RecordedToolResult;

/** Who wrote a recording. */
export type RecordedSource = "pi" | "claude-code" | "codex" | "opencode" | "neutral";

/** A line that could not be read, counted from 1; 0 is the file as a whole. */
export interface DamagedLine {
  readonly line: number;
  readonly reason: string;
}

/** One recorded session. Every call is followed by exactly one result. */
export interface RecordedSession {
  /** Of the file, without folder and ending. */
  readonly name: string;
  readonly source: RecordedSource;
  readonly file: string;
  readonly rows: readonly RecordedMessage[];
  readonly damaged: readonly DamagedLine[];
}
