import { isJsonObject, type JsonValue } from "@self-context-manager/objects";
import { argumentsOf } from "../chat/message.ts";
import { type AnswerDetails, answerDetails, hostText } from "../session/answers.ts";
import type { ContextSession } from "../session/context-session.ts";
import type { ContextTool } from "../session/context-tools.ts";
import type { ToolDescription } from "../session/session-tool.ts";
import { reasonOf } from "./failure-notice.ts";

/** A context tool that runs on the session of a connection. */
export interface BoundTool extends ToolDescription {
  /** Never rejects: bad arguments and a failure of the context manager are refusals with their reason. */
  run(args: JsonValue, callId: string): Promise<BoundAnswer>;
}

/** The answer of a context tool, for the host's record of the result. */
export interface BoundAnswer {
  /** The text of the result. */
  readonly text: string;
  readonly isError: boolean;
  /** For the host's record of the result (`details` of the decoded message), so that the effects can be applied again. */
  readonly details: AnswerDetails;
}

/**
 * Whether a value has exactly the fields of the answer of a context tool, for hosts that can pass the answer itself, as JSON,
 * instead of its text.
 */
export function isBoundAnswer(value: unknown): value is BoundAnswer {
  if (!isJsonObject(value)) return false;
  const { text, isError, details, ...others } = value;
  const isAnswer = typeof text === "string" && typeof isError === "boolean";
  if (!isAnswer || !isJsonObject(details) || Object.keys(others).length > 0) return false;
  return Object.values(details).every(isJsonObject);
}

type Run = (work: (session: ContextSession) => Promise<BoundAnswer>) => Promise<BoundAnswer>;

/** Binds context tools to a session that can be opened again. `run` rejects if there is no session now. */
export function boundTools(tools: readonly ContextTool[], run: Run): readonly BoundTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    async run(args, callId) {
      try {
        return await run(async (session) => {
          const answer = await tool.run(session, argumentsOf(args), callId);
          return {
            text: hostText(answer),
            isError: !answer.ok,
            details: answerDetails(answer),
          };
        });
      } catch (error) {
        // Not rethrown: only this call fails, and the model reads why.
        const text = `${tool.name} did not run, because the context manager failed. ${reasonOf(error)}`;
        return { text, isError: true, details: {} };
      }
    },
  }));
}
