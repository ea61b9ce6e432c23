import { fieldsOf, isJsonList, isJsonObject, type JsonObject } from "@self-context-manager/objects";

import { jsonIn } from "./json-in.ts";

/** The fields of the four protocols that hold what a model reads, in the order in which it reads them. */
const parts = [
  "system",
  "instructions",
  "systemInstruction",
  "system_instruction",
  "messages",
  "input",
  "contents",
] as const;

/** Fields of messages and blocks whose string is a text. */
const textFields: ReadonlySet<string> = new Set([
  "text",
  "content",
  "thinking",
  "reasoning_content",
  "reasoning",
  "output",
  "refusal",
]);

/** Fields with the arguments or the result of a tool: every value in them is read. */
const valueFields: ReadonlySet<string> = new Set(["arguments", "args", "input", "response"]);

/**
 * Returns the texts of a request in order, joined by line feeds: instructions, messages, arguments and results of tools.
 * JSON is decoded, so that a text is found as the tool wrote it. The definitions of tools are left out.
 */
export function requestText(body: string): string {
  const request = fieldsOf(jsonIn(body));
  const found: string[] = [];
  for (const part of parts) {
    const value = request[part];
    if (typeof value === "string") found.push(value);
    else if (value !== undefined) addTexts(value, found);
  }
  return found.join("\n");
}

function addTexts(value: unknown, found: string[]): void {
  if (typeof value === "string") found.push(value);
  else if (isJsonList(value)) for (const item of value) addTexts(item, found);
  else if (isJsonObject(value)) addFields(value, found);
}

function addFields(object: JsonObject, found: string[]): void {
  for (const [field, value] of Object.entries(object)) {
    if (valueFields.has(field)) addValues(value, found);
    else if (typeof value !== "string") addTexts(value, found);
    else if (textFields.has(field)) found.push(value);
  }
}

/** Adds every value. A string that is a JSON object is decoded: so OpenAI's protocols send arguments. */
function addValues(value: unknown, found: string[]): void {
  if (isJsonList(value)) for (const item of value) addValues(item, found);
  else if (isJsonObject(value)) for (const item of Object.values(value)) addValues(item, found);
  else if (typeof value === "string") {
    const inside = value.startsWith("{") ? jsonIn(value) : undefined;
    if (inside === undefined) found.push(value);
    else addValues(inside, found);
  } else if (value != null) found.push(JSON.stringify(value));
}
