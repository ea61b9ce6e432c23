import type { ModelApi } from "../model/model-access.ts";

/** The ends of the paths of model calls. */
const callPaths: readonly (readonly [ModelApi, RegExp])[] = [
  ["anthropic-messages", /\/messages$/u],
  ["openai-completions", /\/chat\/completions$/u],
  ["openai-responses", /\/responses$/u],
  ["google-generative-ai", /:(?:generateContent|streamGenerateContent)$/u],
];

/** POST requests that cost nothing. */
const freePath = /(?:\/count_tokens|:countTokens|\/input_tokens|\/tokenize|\/props|\/api\/show)$/u;

/** Returns the protocol of a model call, or undefined for a request that is no model call. */
export function callApi(method: string, path: string): ModelApi | undefined {
  if (method !== "POST") return undefined;
  return callPaths.find(([, end]) => end.test(pathOf(path)))?.[0];
}

/** Whether a request that is no model call can cost money. */
export function mayCost(method: string, path: string): boolean {
  return method === "POST" && !freePath.test(pathOf(path));
}

/** Returns the model that a request asks for: in Google's protocol a part of the path. */
export function modelAskedFor(path: string, model: unknown): string | undefined {
  if (typeof model === "string") return model;
  const name = /\/models\/([^/]+):\w+$/u.exec(pathOf(path))?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}

function pathOf(path: string): string {
  return path.replace(/\?.*$/su, "");
}
