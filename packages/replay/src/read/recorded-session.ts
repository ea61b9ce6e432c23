import type { JsonObject } from "@self-context-manager/core";

/** One part of a recorded message, in the form of the neutral format. */
export type RecordedBlock = RecordedText | RecordedThinking | RecordedToolCall | RecordedImage;

export interface RecordedText {
  readonly type: "text";
  readonly text: string;
}

/** The model's thinking, without its signature. */
export interface RecordedThinking {
  readonly type: "thinking";
  readonly thinking: string;
}

export interface RecordedToolCall {
  readonly type: "toolCall";
  /** Unique within the session: if the recorder used an id again, `#2`, `#3` … is appended. */
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
  /** The length of the base64 text in the recording; 0 if the recording contained only a URL. */
  readonly bytes: number;
}

/** The usage that the provider reported for one model call, in tokens; `input` is the uncached input. */
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
  /** Whether no person typed it: instruction files, the environment, hooks, summaries. */
  readonly synthetic?: true;
  /** Whether the recorder compacted the session here, and this row is the summary: a segment starts with it. */
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

/** The result of a tool call. The results of a model call follow it directly, in the order in which they arrived. */
export interface RecordedToolResult extends RowTime {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (RecordedText | RecordedImage)[];
  readonly isError: boolean;
  /** Whether the recording has no result for this call. */
  readonly synthetic?: true;
}

/** A row of the neutral format, from any recorder. */
export type RecordedMessage =
  | RecordedSystem
  | RecordedUser
  | RecordedAssistant
  | RecordedToolResult;

/** The program that wrote a recording. */
export type RecordedSource = "pi" | "claude-code" | "codex" | "opencode" | "neutral";

/** A line that could not be read, counted from 1; 0 is the whole file. */
export interface DamagedLine {
  readonly line: number;
  readonly reason: string;
}

/** One recorded session. Exactly one result follows each tool call. */
export interface RecordedSession {
  /** The name of the file, without folder and extension. */
  readonly name: string;
  readonly source: RecordedSource;
  readonly file: string;
  readonly rows: readonly RecordedMessage[];
  readonly damaged: readonly DamagedLine[];
}
