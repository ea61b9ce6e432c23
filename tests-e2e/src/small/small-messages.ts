import type { JsonObject, JsonValue } from "@self-context-manager/core";

/** A message as this harness records it. Messages have neither ids nor times. */
export type SmallMessage =
  | { readonly role: "user"; readonly text: string }
  | SmallAnswer
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
      readonly failed: boolean;
      /** Data of the tool. The model does not get it. */
      readonly extra?: JsonValue;
    };

/** The model's answer. */
export interface SmallAnswer {
  readonly role: "model";
  readonly text: string;
  readonly calls: readonly SmallCall[];
  readonly reasoning?: { readonly text: string; readonly signature: string };
  /** The provider's error. The harness keeps a failed answer for the user and does not send it again. */
  readonly error?: string;
}

export interface SmallCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

export interface SmallTool {
  readonly name: string;
  run(args: JsonObject, callId: string): Promise<SmallResult>;
}

export interface SmallResult {
  readonly text: string;
  readonly failed?: boolean;
  readonly extra?: JsonValue;
}

/** The hooks of the harness. It waits for each of them. */
export interface SmallHooks {
  /** Tools in addition to the harness's own. */
  readonly tools?: readonly SmallTool[];
  /** Returns the system prompt of the next request. */
  prompt?(text: string): Promise<string>;
  /** Returns the messages of the next request; undefined: the harness's own. */
  request?(messages: readonly SmallMessage[]): Promise<readonly SmallMessage[] | undefined>;
  /** Returns the reason why a tool of the harness must not run; undefined: it runs. */
  beforeTool?(call: SmallCall): Promise<string | undefined>;
  /** Gets the result of a tool of the harness. */
  afterTool?(call: SmallCall, result: SmallResult): Promise<void>;
  /** Gets the error of a request that the provider refused. */
  refused?(error: string): Promise<void>;
  /** The user went back to an earlier point. */
  wentBack?(): void;
  /** A run has ended. */
  ended?(messages: readonly SmallMessage[]): Promise<void>;
}
