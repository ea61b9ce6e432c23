import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelFacts } from "@self-context-manager/core";
import type { Connection } from "@self-context-manager/core/host";
import type { LanguageModelUsage, SystemModelMessage } from "ai";

import { withCacheMarks } from "./cache-marks.ts";
import { type NamedModel, viewOptions } from "./model-facts.ts";
import { promptOf, type SdkMessage, sdkMessages } from "./sdk-messages.ts";

/** What the app says about a request. */
export interface RequestFacts {
  /** Facts about the model that its name does not show. */
  readonly model?: Partial<ModelFacts> | undefined;
  /** The tokens that the provider reported with the newest answer. */
  readonly usage?: LanguageModelUsage | undefined;
  /** The number of messages at the end that are only in this request. Default: 0. */
  readonly added?: number;
  /** Whether a message is left out of this request. Default: no. */
  readonly leavesOut?: (message: LanguageModelV4Prompt[number]) => boolean;
}

/** What the adapter keeps of a chat between its requests. */
export interface ChatState {
  /** The messages of the last request. */
  chat: readonly SdkMessage[];
  /** Whether answers can be those to views, because requests had the context tools. */
  hasViews: boolean;
}

/**
 * Returns a prompt with the view instead of the app's messages, and with the standing instruction; or undefined if the app's
 * own prompt must be sent. If the request does not offer the context tools, the model could not bring back the contents that
 * have left a view. Its messages are then recorded, and sent without thinking that the model would refuse. `own`: the
 * messages of this request, without those that the app leaves out. Rejects if it cannot read a message.
 */
export async function managedPrompt(
  connection: Connection<SdkMessage>,
  state: ChatState,
  { prompt, tools = [] }: LanguageModelV4CallOptions,
  own: LanguageModelV4Prompt,
  model: NamedModel,
  { model: known, usage, added = 0 }: RequestFacts,
): Promise<LanguageModelV4Prompt | undefined> {
  const begin = prompt.findIndex(({ role }) => role !== "system");
  const system = prompt.slice(0, begin).filter((one) => one.role === "system");
  const answer = prompt.findLast(({ role }) => role === "assistant");
  const listed = prompt.slice(begin).map((one) => {
    const raw = one === answer ? { ...one, usage } : one;
    return { one, json: sdkMessages([raw]) };
  });
  const host = listed.slice(0, listed.length - added).flatMap(({ json }) => json);
  const kept = new Set(own);
  const isUsable = connection.tools.every(({ name }) => tools.some((one) => one.name === name));
  state.chat = host;
  state.hasViews ||= isUsable;
  connection.beginRequest();
  const options = viewOptions(model, known);
  const head = isUsable ? await withInstruction(connection, system) : [];
  const call = await connection.modelCall({
    ...options,
    ...(state.hasViews ? {} : { thinking: "free" }),
    recordOnly: !isUsable,
    host,
    messages: listed.filter(({ one }) => kept.has(one)).flatMap(({ json }) => json),
    added: new Set(listed.slice(listed.length - added).flatMap(({ json }) => json)),
  });
  if (call === undefined) return undefined;
  if (call.view === undefined) return [...system, ...promptOf(call.messages)];
  const boundaries = (call.view.boundaries ?? []).map((index) => head.length + index);
  const messages = [...head, ...call.messages];
  const isMarked = options.prices.caching === "explicit";
  return promptOf(isMarked ? withCacheMarks(messages, tools, boundaries) : messages);
}

/** Adds the standing instruction to the last system message, because some providers accept only one. */
async function withInstruction(
  connection: Connection<SdkMessage>,
  system: readonly SystemModelMessage[],
): Promise<readonly SdkMessage[]> {
  const texts = system.map(({ content }) => content);
  await connection.systemPrompt(texts.join("\n\n"));
  const content = [...texts.slice(-1), connection.instruction].join("\n\n");
  const last: SystemModelMessage = { ...system.at(-1), role: "system", content };
  return sdkMessages([...system.slice(0, -1), last]);
}
