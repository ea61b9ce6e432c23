import type { MeterClock } from "../../src/meter/clock.ts";
import type { ModelAccess } from "../../src/model/model-access.ts";

/** A dollar per token of input and of output, so that dollars are counted easily. */
const dollarPerToken = {
  input: 1_000_000,
  output: 1_000_000,
  cacheRead: 1_000_000,
  cacheWrite: 1_000_000,
};

/** The key that no host and no file may see. */
export const realKey = "sk-real-0123456789abcdef";

/** A model at a URL. */
export function accessTo(url: string, access: Partial<ModelAccess> = {}): ModelAccess {
  return {
    provider: "test",
    id: "model-1",
    api: "openai-completions",
    url,
    key: realKey,
    contextWindow: 100_000,
    maxTokens: 10,
    isReasoning: false,
    prices: dollarPerToken,
    ...access,
  };
}

export interface TestClock extends MeterClock {
  /** The length of each wait, in milliseconds. */
  readonly sleeps: readonly number[];
}

/** A clock whose waits are over at once, after which it is as late as they would have made it. */
export function testClock(start = 1_000_000): TestClock {
  let now = start;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    sleep: async (milliseconds, signal) => {
      if (signal.aborted) return;
      sleeps.push(milliseconds);
      const end = now + milliseconds;
      await Promise.resolve();
      now = Math.max(now, end);
    },
  };
}

/** Sends a completion request through a run, as a host does. */
export function ask(
  access: Pick<ModelAccess, "url" | "key">,
  body: unknown,
  { path = "/chat/completions", signal }: { path?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(access.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${access.key}` },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A request with one message. */
export function question(text: string, fields: object = {}): object {
  return { model: "model-1", messages: [{ role: "user", content: text }], ...fields };
}
