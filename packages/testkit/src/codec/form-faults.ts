import type { Message } from "@self-context-manager/core";
import { isJsonObject, type JsonObject } from "@self-context-manager/objects";

/** Returns what is wrong with the form of a decoded message; nothing if core can read it. */
export function formFaults(message: Message): readonly string[] {
  // A codec without types can return anything.
  const given: unknown = message;
  if (!isJsonObject(given)) return ["the decoded message is no object"];
  const { timestamp } = given;
  const isTime = timestamp === undefined || Number.isFinite(timestamp);
  return [...fieldFaults(given), ...(isTime ? [] : ["`timestamp` is no finite number"])];
}

function fieldFaults(fields: JsonObject): readonly string[] {
  const { role, content, isError, meta, raw } = fields;
  const textFaults = (name: string): readonly string[] =>
    typeof fields[name] === "string" ? [] : [`\`${name}\` is no text`];
  switch (role) {
    case "user":
      return [...(typeof content === "string" ? [] : blockFaults(content)), ...metaFaults(meta)];
    case "assistant":
      return [...blockFaults(content), ...metaFaults(meta)];
    case "toolResult":
      return [
        ...textFaults("toolCallId"),
        ...textFaults("toolName"),
        ...blockFaults(content),
        ...(typeof isError === "boolean" ? [] : ["`isError` is no boolean"]),
      ];
    case "opaque":
    case "summary":
      return [...textFaults("kind"), ...(raw === undefined ? ["`raw` is missing"] : [])];
    default:
      return [`${JSON.stringify(role)} is no role of core`];
  }
}

function metaFaults(meta: unknown): readonly string[] {
  return meta === undefined || isJsonObject(meta) ? [] : ["`meta` is no object"];
}

function blockFaults(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return ["`content` is no list of blocks"];
  return content.every(isBlock) ? [] : ["`content` has a block without `type`"];
}

function isBlock(value: unknown): boolean {
  return isJsonObject(value) && typeof value["type"] === "string";
}

/** Returns the places of values that JSON cannot represent. Fields that are `undefined` are absent. */
export function jsonFaults(value: unknown, place = "message"): readonly string[] {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return [];
    case "number":
      return Number.isFinite(value) ? [] : [`${place} is ${value}`];
    case "object": {
      if (value === null) return [];
      const isPlain = [Object.prototype, Array.prototype, null].includes(
        Object.getPrototypeOf(value),
      );
      if (!isPlain) return [`${place} is no plain object`];
      return Object.entries(value).flatMap(([name, one]) => jsonFaults(one, `${place}.${name}`));
    }
    default:
      return [`${place} is a ${typeof value}`];
  }
}
