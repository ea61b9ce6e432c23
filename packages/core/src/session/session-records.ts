import { joinListed } from "../history/listed-files.ts";
import { commitSession, type SessionScope } from "../state/session-scope.ts";
import type { ContextSession } from "./context-session.ts";
import { forgetObjects } from "./forget-objects.ts";
import { hidden } from "./hidden-text.ts";
import { learnRefusal } from "./learn-refusal.ts";
import { addSummary, turnToSummarize } from "./summarize-turn.ts";
import { recordSystemPrompt } from "./system-prompts.ts";
import { unfold } from "./unfold.ts";

/** Runs an operation on a session, one after another. */
type Run = <Result>(operation: (scope: SessionScope) => Promise<Result>) => Promise<Result>;

type Records = Pick<
  ContextSession,
  | "recordListed"
  | "recordSystemPrompt"
  | "recordPayload"
  | "recordRefusal"
  | "forget"
  | "unfold"
  | "turnToSummarize"
  | "addSummary"
>;

/** Returns the operations about what is neither a message nor a file that a tool worked with. */
export function sessionRecords(run: Run): Records {
  return {
    recordListed: async (paths) => await run(async (current) => await recordListed(current, paths)),
    recordSystemPrompt: async (origin, text) =>
      await run(
        async (current) => await recordSystemPrompt(current, origin, hidden(current, text)),
      ),
    recordPayload: async (call, payloadHash) => {
      if (!/^[\da-f]{64}$/u.test(payloadHash))
        throw new TypeError(`a payload's hash has 64 hexadecimal digits; got ${payloadHash}`);
      await run(async ({ state }) => {
        state.sent.notePayload(call, payloadHash);
        return await Promise.resolve();
      });
    },
    recordRefusal: async (refusal) =>
      await run(async (current) => {
        const isTooLong = learnRefusal(current.state, refusal);
        await commitSession(current);
        return isTooLong;
      }),
    forget: async (request) => await run(async (current) => await forgetObjects(current, request)),
    unfold: async (handles) => await run(async (current) => await unfold(current, handles)),
    turnToSummarize: async (options) =>
      await run(async (current) => await turnToSummarize(current, options)),
    addSummary: async (request, answer) =>
      await run(async (current) => {
        const text = hidden(current, answer.text);
        return await addSummary(current, request, { ...answer, text });
      }),
  };
}

async function recordListed(scope: SessionScope, paths: readonly string[]): Promise<void> {
  await joinListed(scope, paths);
  await commitSession(scope);
}
