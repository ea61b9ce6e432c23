import { promptRefusal } from "@self-context-manager/core/host";
import { fieldsOf, isJsonList, isJsonObject, type JsonObject } from "@self-context-manager/objects";

import type { MeteredAnswer } from "../../model/metered-answer.ts";
import type { ModelApi } from "../../model/model-access.ts";
import type { CallUsage } from "../../model/run-record.ts";
import { jsonIn } from "../json-in.ts";
import { anthropicAnswer } from "./anthropic-answer.ts";
import { type AnswerReader, textIn } from "./answer-reader.ts";
import { completionsAnswer } from "./completions-answer.ts";
import { eventData } from "./event-data.ts";
import { googleAnswer } from "./google-answer.ts";
import { responsesAnswer } from "./responses-answer.ts";

/** The provider's answer as it arrived. */
export interface RawAnswer {
  readonly status: number;
  /** The body up to its end, or to where it broke off. */
  readonly body: string;
}

/** What the meter reads from an answer. */
export interface ReadAnswer {
  /** Absent: the provider reported none. */
  readonly usage?: CallUsage;
  readonly answer: MeteredAnswer;
  readonly isComplete: boolean;
  /** The provider's message, cut to 500 characters. */
  readonly error?: string;
  /** Whether the error says that the request is longer than the context window. */
  readonly isOverWindow?: boolean;
}

const readers: Readonly<Record<ModelApi, AnswerReader>> = {
  "anthropic-messages": anthropicAnswer,
  "openai-completions": completionsAnswer,
  "openai-responses": responsesAnswer,
  "google-generative-ai": googleAnswer,
};

const longestError = 500;

/** Reads an answer of a provider: a stream of events, one JSON object, or a list of JSON objects as Google sends it. */
export function readAnswer(api: ModelApi, { status, body }: RawAnswer): ReadAnswer {
  if (status >= 400)
    return {
      answer: { text: "", toolCalls: [] },
      isComplete: true,
      ...errorOf(status, errorMessage(body), body),
    };
  const { error, ...read } = readers[api](eventsIn(body));
  return { ...read, ...(error === undefined ? {} : errorOf(status, error)) };
}

function eventsIn(body: string): readonly JsonObject[] {
  const whole = /^\s*[[{]/u.test(body) ? jsonIn(body) : undefined;
  if (isJsonList(whole)) return whole.filter(isJsonObject);
  if (isJsonObject(whole)) return [whole];
  return eventData(body).map(jsonIn).filter(isJsonObject);
}

/** The message of an error, wherever providers and servers put it. A body without one is the message. */
function errorMessage(body: string): string {
  const json = jsonIn(body);
  const { error, message, detail } = fieldsOf(isJsonList(json) ? json[0] : json);
  const inside = textIn(error) || textIn(fieldsOf(error)["message"]);
  return inside || textIn(message) || textIn(detail) || body;
}

function errorOf(
  status: number,
  message: string,
  /** The whole answer, if it is nothing but the error. */
  body = "",
): Pick<ReadAnswer, "error" | "isOverWindow"> {
  const error = message.slice(0, longestError) || `HTTP status ${status} without a message`;
  const isOverWindow =
    status === 413 || promptRefusal(message) !== undefined || promptRefusal(body) !== undefined;
  return { error, ...(isOverWindow ? { isOverWindow } : {}) };
}
