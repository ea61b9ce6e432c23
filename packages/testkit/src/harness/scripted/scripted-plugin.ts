import type { JsonObject, JsonValue } from "@self-context-manager/objects";

import type { ModelToolCall } from "../model-request.ts";
import type { OutputContent, ScriptedMessage } from "./scripted-message.ts";

/** A tool of the scripted harness. */
export interface ScriptedTool {
  readonly name: string;
  /** What it throws becomes the output of a failed call. */
  run(input: JsonObject, callId: string): Promise<ScriptedOutput>;
}

export interface ScriptedOutput {
  readonly text: string;
  readonly pictures?: readonly string[];
  readonly failed?: boolean;
  readonly extra?: JsonValue;
}

/**
 * The hooks of the scripted harness, which trusts its plugin: it hands out its own messages, and what a hook throws
 * ends the run.
 */
export interface ScriptedPlugin {
  /** Tools beside the harness's own. */
  tools?(): readonly ScriptedTool[];
  /** The system prompt for the next request. */
  instruction?(text: string): Promise<string>;
  /** The messages for the next request; undefined leaves them. */
  assemble?(messages: readonly ScriptedMessage[]): Promise<readonly ScriptedMessage[] | undefined>;
  /** What one of the harness's own tools returned; what this answers is kept with the output. */
  afterTool?(call: ModelToolCall, output: OutputContent): Promise<JsonValue | undefined>;
  /** The user has gone back to an earlier point. */
  wentBack?(): void;
  /** The text that is to stand for the older of these messages; undefined has the model write one. */
  summary?(messages: readonly ScriptedMessage[]): Promise<string | undefined>;
}
