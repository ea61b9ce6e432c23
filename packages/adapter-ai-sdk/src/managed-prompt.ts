import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelFacts } from "@self-context-manager/core";
import { type Connection, sha256 } from "@self-context-manager/core/host";
import type { LanguageModelUsage, SystemModelMessage } from "ai";

import { withCacheMarks } from "./cache-marks.ts";
import { isOfAnthropic, type NamedModel, viewOptions } from "./model-facts.ts";
import { promptOf, sdkCodec, type SdkMessage, sdkMessages } from "./sdk-messages.ts";

/** What the adapter knows of a request beside its prompt. */
export interface RequestFacts {
  /** Facts about the model that its name does not show. */
  readonly model?: Partial<ModelFacts> | undefined;
  /** The tokens that the provider reported with the newest answer. */
  readonly usage?: LanguageModelUsage | undefined;
  /** The number of messages at the end that are only in this request. Default: 0. */
  readonly added?: number;
  /** Whether a message is left out of this request. Default: no. */
  readonly leavesOut?: (message: LanguageModelV4Prompt[number]) => boolean;
  /** Receives the messages of the chat. */
  readonly seen?: (messages: readonly SdkMessage[]) => void;
}

/**
 * Returns a prompt with the view instead of the app's messages, and with the standing instruction. If the request does
 * not offer the context tools, the model could not bring back the contents that have left a view. Its messages are then
 * sent as they are, and recorded. Rejects only with an error of `leavesOut`.
 */
export async function managedPrompt(
  connection: Connection<SdkMessage>,
  { prompt, tools = [] }: LanguageModelV4CallOptions,
  model: NamedModel,
  { model: known, usage, added = 0, leavesOut, seen }: RequestFacts,
): Promise<LanguageModelV4Prompt> {
  const begin = prompt.findIndex(({ role }) => role !== "system");
  const system = prompt.slice(0, begin).filter((one) => one.role === "system");
  const answer = prompt.findLast(({ role }) => role === "assistant");
  const listed = prompt.slice(begin).map((one) => ({
    one,
    json: sdkMessages([one === answer && usage !== undefined ? { ...one, usage } : one]),
  }));
  const kept = listed.filter(({ one }) => leavesOut?.(one) !== true);
  const own = [...system, ...kept.map(({ one }) => one)];
  const host = listed.slice(0, listed.length - added).flatMap(({ json }) => json);
  const signals = await goesBack(connection, host);
  seen?.(host);
  if (!connection.tools.every(({ name }) => tools.some((one) => one.name === name))) {
    await connection.ingest(host, signals);
    return own;
  }
  const head = sdkMessages(await withInstruction(connection, system));
  const call = await connection.modelCall({
    ...viewOptions(model, known),
    ...signals,
    head: sha256(JSON.stringify([head, tools.map(({ name }) => name)])),
    host,
    messages: kept.flatMap(({ json }) => json),
    added: new Set(listed.slice(listed.length - added).flatMap(({ json }) => json)),
  });
  if (call === undefined) return own;
  if (call.view === undefined) return [...system, ...promptOf(call.messages)];
  const boundaries = (call.view.boundaries ?? []).map((index) => head.length + index);
  const messages = [...head, ...call.messages];
  return promptOf(isOfAnthropic(model) ? withCacheMarks(messages, tools, boundaries) : messages);
}

/** Adds the standing instruction to the last system message, because some providers accept only one. */
async function withInstruction(
  connection: Connection<SdkMessage>,
  system: readonly SystemModelMessage[],
): Promise<readonly SystemModelMessage[]> {
  const text = system.map(({ content }) => content).join("\n\n");
  const instruction = (await connection.systemPrompt(text)).slice(text.length);
  const content = `${system.at(-1)?.content ?? ""}${instruction}`.trimStart();
  // Providers refuse an empty text.
  if (content === "") return system;
  return [...system.slice(0, -1), { ...system.at(-1), role: "system", content }];
}

/**
 * Reports that the user went back if the list ends in a user's message that the session already has: the user has it
 * answered again. If no answer followed it, going back to it changes nothing. A list without an answer begins the chat
 * again, because the app sends the whole chat.
 */
async function goesBack(
  connection: Connection<SdkMessage>,
  messages: readonly SdkMessage[],
): Promise<{ readonly rewound?: true }> {
  if (messages.at(-1)?.role !== "user") return {};
  const signals = { rewound: true } as const;
  if (!messages.some(({ role }) => role === "assistant")) return signals;
  const session = connection.session();
  const known = session.then(async (open) => await open.knownUntil(messages, sdkCodec, signals));
  // The model call meets the same failure, and reports it.
  return (await known.catch(() => undefined)) === messages.length ? signals : {};
}
