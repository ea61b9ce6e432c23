import type * as AiSdkAdapter from "@self-context-manager/adapter-ai-sdk";
import type * as AnthropicSdk from "@ai-sdk/anthropic";
import type * as OpenAiSdk from "@ai-sdk/openai";
import type * as AiSdk from "ai";
import type { LanguageModel } from "ai";
import { readFileSync } from "node:fs";

import type { ModelAccess } from "../model/model-access.ts";
import { hostError } from "./host-error.ts";
import { installedPackage } from "./installed-package.ts";

/** The AI SDK, which only this host needs. Throws `EvaluateError` with `EVALUATE_HOST` if it is not installed. */
export async function loadAiSdk(): Promise<typeof AiSdk> {
  return await loaded("ai", async () => await import("ai"));
}

/** The adapter for the AI SDK, which only managed arms need. */
export async function loadAiSdkAdapter(): Promise<typeof AiSdkAdapter> {
  const name = "@self-context-manager/adapter-ai-sdk";
  return await loaded(name, async () => await import("@self-context-manager/adapter-ai-sdk"));
}

/** Returns the model of a provider's package. */
export async function sdkModel(access: ModelAccess): Promise<LanguageModel> {
  const { api, id, url } = access;
  // A server that needs no key gets one that says nothing.
  const apiKey = access.key === "" ? "none" : access.key;
  switch (api) {
    case "anthropic-messages": {
      const { createAnthropic } = await loadAnthropic();
      // Pi's registry has this URL without the version, and the AI SDK takes it with the version.
      const baseURL = /\/v\d+\/?$/u.test(url) ? url : `${url.replace(/\/$/u, "")}/v1`;
      return createAnthropic({ baseURL, apiKey })(id);
    }
    case "openai-completions":
      return (await loadOpenAi()).createOpenAI({ baseURL: url, apiKey }).chat(id);
    case "openai-responses":
      return (await loadOpenAi()).createOpenAI({ baseURL: url, apiKey }).responses(id);
    case "google-generative-ai":
      throw hostError(`the AI SDK as a host has no provider for ${api}; use pi for ${id}`);
  }
}

/** Returns the version of the installed SDK. */
export function aiSdkVersion(): string {
  const manifest = installedPackage("ai");
  const text = manifest === undefined ? "{}" : readFileSync(manifest, "utf8");
  const { version = "unknown" }: { readonly version?: string } = JSON.parse(text);
  return version;
}

async function loadAnthropic(): Promise<typeof AnthropicSdk> {
  return await loaded("@ai-sdk/anthropic", async () => await import("@ai-sdk/anthropic"));
}

async function loadOpenAi(): Promise<typeof OpenAiSdk> {
  return await loaded("@ai-sdk/openai", async () => await import("@ai-sdk/openai"));
}

async function loaded<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw hostError(`the package ${name} cannot be loaded; run npm install ${name}`, error);
  }
}
