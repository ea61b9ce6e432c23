import { createOpenAI } from "@ai-sdk/openai";
import { piSummarizer } from "@self-context-manager/adapter-pi";
import { sdkSummarizer } from "@self-context-manager/adapter-ai-sdk";
import { urlSummarizer } from "@self-context-manager/compose";
import { openClawSummarizer } from "@self-context-manager/adapter-openclaw";
import {
  type LoopbackModel,
  openLoopbackModel,
  type Reply,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import type { OpenSummarizer, SummarizerStage, SummaryReply } from "@self-context-manager/testkit";

import { openPiSdk } from "../pi-sdk.ts";
import { type PiVersion } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";

function loopbackReply(reply: SummaryReply): Reply {
  switch (reply.type) {
    case "text":
      return reply;
    case "refused":
      return { type: "error", status: 400, message: "the request is not allowed" };
    case "silent":
      return { type: "hang", text: "I" };
  }
}

function seen({ messages, tools }: WireRequest): SummarizerStage["requests"][number] {
  return { text: messages.map(({ text }) => text).join("\n"), tools: tools.length };
}

/** A summarizer on the model registry of a real session of Pi. */
export function piStage(pi: PiVersion): OpenSummarizer {
  return async (reply) => {
    await using stack = new AsyncDisposableStack();
    const model = stack.use(await openLoopbackModel({ script: () => loopbackReply(reply) }));
    const workspace = stack.use(await openPiWorkspace({ model }));
    let context: unknown;
    const factory = (host: { on(name: string, handler: unknown): void }): void =>
      host.on("session_start", (_: unknown, given: unknown) => void (context = given));
    stack.use(await openPiSdk({ pi, workspace, factories: [factory as (host: never) => void] }));
    const opened = stack.move();
    return {
      summarizer: piSummarizer("loopback/loopback-1", () => context as never),
      model: "loopback/loopback-1",
      get requests() {
        return model.requests.map(seen);
      },
      [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
    };
  };
}

/** A summarizer on a model of the AI SDK. */
export async function sdkStage(reply: SummaryReply): Promise<SummarizerStage> {
  const model: LoopbackModel = await openLoopbackModel({ script: () => loopbackReply(reply) });
  const provider = createOpenAI({ baseURL: model.url, apiKey: "none" });
  return {
    summarizer: sdkSummarizer(provider.chat("loopback-1")),
    model: "loopback-1",
    get requests() {
      return model.requests.map(seen);
    },
    [Symbol.asyncDispose]: async () => await model[Symbol.asyncDispose](),
  };
}

/** A summarizer on the address of a server. */
export async function urlStage(reply: SummaryReply): Promise<SummarizerStage> {
  const model: LoopbackModel = await openLoopbackModel({ script: () => loopbackReply(reply) });
  return {
    summarizer: urlSummarizer({ url: model.url, model: "loopback-1" }),
    model: "loopback-1",
    get requests() {
      return model.requests.map(seen);
    },
    [Symbol.asyncDispose]: async () => await model[Symbol.asyncDispose](),
  };
}

/** A summarizer on a function that replaces OpenClaw's `runtime.llm.complete`. */
export async function openClawStage(reply: SummaryReply): Promise<SummarizerStage> {
  const requests: SummarizerStage["requests"][number][] = [];
  const summarizer = openClawSummarizer(async ({ messages, systemPrompt, signal }) => {
    const texts = [systemPrompt, ...messages.map(({ content }) => content)];
    requests.push({ text: texts.join("\n"), tools: 0 });
    if (reply.type === "refused") throw new Error("the request is not allowed");
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(new Error("aborted")));
    if (reply.type === "silent") return await promise;
    const usage = { inputTokens: 100, outputTokens: 10, costUsd: 0.001 };
    return { text: reply.text, provider: "loopback", model: "loopback-1", usage };
  }, undefined);
  return await Promise.resolve({
    summarizer,
    model: "loopback/loopback-1",
    requests,
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  });
}
