import type { ContextOperation, JsonValue, renamedPrefix } from "@self-context-manager/objects";
import type { ToolResultMessage } from "../chat/message.ts";
import type { ToolAnswer } from "./answers.ts";

/** JSON Schema of one argument. An argument whose name says enough has no description. */
export interface ArgumentSchema {
  readonly type: "string" | "number";
  readonly description?: string;
}

/** JSON Schema of a tool's arguments. Others are ignored. Its lists are not `readonly`, because libraries with types for JSON Schema want it so. */
export interface ArgumentsSchema {
  readonly type: "object";
  readonly properties: { readonly [name: string]: ArgumentSchema };
  readonly required?: string[];
}

/** A context tool as the model sees it. */
export interface ToolDescription {
  readonly name: ContextOperation | `${typeof renamedPrefix}${ContextOperation}`;
  readonly description: string;
  readonly parameters: ArgumentsSchema;
}

/** A context tool that is bound to its session. */
export interface SessionTool extends ToolDescription {
  /**
   * Runs the tool for the model's call with this provider id. Bad arguments give a refusal (`ok: false`), not an error.
   * Rejects only with `StoreError`.
   */
  run(args: JsonValue, callId: string): Promise<SessionToolAnswer>;
}

/** The answer of a context tool that is bound to its session. */
export interface SessionToolAnswer extends ToolAnswer {
  /** The result as a message in core's form, without a time, for the agent's list of messages. */
  readonly message: ToolResultMessage;
}
