import type { JsonObject, JsonValue } from "@self-context-manager/objects";

import type { ModelToolCall } from "../model-request.ts";
import type { OutputContent, ScriptedMessage } from "./scripted-message.ts";

/** A tool of the scripted harness. */
export interface ScriptedTool {
  readonly name: string;
  /** Runs the tool. An error that it throws becomes the output of a failed tool call. */
  run(input: JsonObject, callId: string): Promise<ScriptedOutput>;
}

export interface ScriptedOutput {
  readonly text: string;
  readonly pictures?: readonly string[];
  readonly failed?: boolean;
  readonly extra?: JsonValue;
}

/**
 * The hooks of the scripted harness. The harness trusts its plugin: it passes its own messages without a copy, and an
 * error of a hook ends the run.
 */
export interface ScriptedPlugin {
  /** Returns the plugin's tools, which are offered in addition to the harness's own. */
  tools?(): readonly ScriptedTool[];
  /** Returns the system prompt for the next request. */
  instruction?(text: string): Promise<string>;
  /**
   * Returns the messages for the next request. `messages`: the harness's messages as other extensions have changed them;
   * `undefined`: they stay as they are. `own`: the harness's messages before that.
   */
  assemble?(
    messages: readonly ScriptedMessage[],
    own?: readonly ScriptedMessage[],
  ): Promise<readonly ScriptedMessage[] | undefined>;
  /** Returns a request as its provider gets it with other breakpoints; `undefined`: it stays as it is. */
  sends?(payload: JsonObject): JsonObject | undefined;
  /** Receives the tokens of the request that the provider reports with its answer. */
  answered?(tokens: number): void;
  /** Receives the output of one of the harness's own tools. */
  afterTool?(call: ModelToolCall, output: OutputContent): Promise<void>;
  /** Returns the reason for the model why a call of one of the harness's own tools must not run, or `undefined`. */
  beforeTool?(call: ModelToolCall): Promise<string | undefined>;
  /** Reports that the user has gone back to an earlier point. */
  wentBack?(): void;
  /**
   * Returns the text of the summary that replaces the older messages. `undefined`: the harness writes the summary.
   */
  summary?(messages: readonly ScriptedMessage[]): Promise<string | undefined>;
}
