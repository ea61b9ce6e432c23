import type { Connection } from "@self-context-manager/core/host";
import type { LanguageModelMiddleware } from "ai";

import { type ChatState, managedPrompt, type RequestFacts } from "./managed-prompt.ts";
import type { SdkMessage } from "./sdk-messages.ts";

/**
 * Returns a middleware for `wrapLanguageModel` that makes the prompts, keeps the hash of each request, and reports those that
 * the provider refuses.
 */
export function contextMiddleware(
  connection: Connection<SdkMessage>,
  state: ChatState,
  facts: RequestFacts,
): LanguageModelMiddleware {
  /** Whether the messages of the last request could be read. If not, the request has no call. */
  let isRead = true;

  async function reported<Result extends { readonly request?: { readonly body?: unknown } }>(
    call: () => PromiseLike<Result>,
  ): Promise<Result> {
    try {
      const result = await call();
      // Some providers do not show the request.
      const { body } = result.request ?? {};
      if (body !== undefined && isRead) connection.payload(body);
      return result;
    } catch (error) {
      await connection.refused(String(error));
      throw error;
    }
  }
  return {
    specificationVersion: "v4",
    async transformParams({ params, model }) {
      const own = params.prompt.filter((one) => facts.leavesOut?.(one) !== true);
      const made = managedPrompt(connection, state, params, own, model, facts);
      isRead = true;
      // The app continues without the context manager if its messages cannot be read.
      const managed = await made.catch(() => void (isRead = false));
      return { ...params, prompt: managed ?? own };
    },
    wrapGenerate: async ({ doGenerate }) => await reported(doGenerate),
    wrapStream: async ({ doStream }) => await reported(doStream),
  };
}
