import type { Connection } from "@self-context-manager/core/host";
import type { LanguageModelMiddleware } from "ai";

import { managedPrompt, type RequestFacts } from "./managed-prompt.ts";
import type { SdkMessage } from "./sdk-messages.ts";

/** Returns a middleware for `wrapLanguageModel` that makes the prompts and reports those that the provider refuses. */
export function contextMiddleware(
  connection: Connection<SdkMessage>,
  facts: RequestFacts,
): LanguageModelMiddleware {
  async function reported<Result>(call: () => PromiseLike<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      await connection.refused(String(error));
      throw error;
    }
  }
  return {
    specificationVersion: "v4",
    transformParams: async ({ params, model }) => ({
      ...params,
      prompt: await managedPrompt(connection, params, model, facts),
    }),
    wrapGenerate: async ({ doGenerate }) => await reported(doGenerate),
    wrapStream: async ({ doStream }) => await reported(doStream),
  };
}
