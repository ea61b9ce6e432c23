import type { JsonObject } from "@self-context-manager/objects";

/** A call of one of the host's own tools. */
export interface HostToolCall {
  /** The provider's id of the call. */
  readonly id: string;
  readonly name: string;
  /** The arguments with which the tool runs. */
  readonly args: JsonObject;
  /**
   * The arguments as the model wrote them, as in the host's chat. Other extensions of the host can change those with which
   * the tool runs. Default: `args`.
   */
  readonly writtenArgs?: JsonObject;
}

/** What a tool of the host returned. */
export interface HostToolResult {
  /** The text that the model gets from the host. Default: none. */
  readonly text?: string;
  /** Whether the call failed. Default: false. */
  readonly isError?: boolean;
}
