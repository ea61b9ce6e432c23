import { defined } from "@self-context-manager/objects";
import type { JsonObject, JsonValue } from "@self-context-manager/core";

import {
  imageBlock,
  numberOf,
  objectOf,
  objectsOf,
  saidIn,
  type ShownBlocks,
  shownIn,
  stringValue,
  textBlocks,
  usageIn,
} from "./fields.ts";
import type { RecordedAssistant, RecordedImage } from "./recorded-session.ts";
import type { ModelCallFacts } from "./recording.ts";

/** Text and images of a message in the form of pi-ai; a plain string is one text. */
export function shownBlocks(content: JsonValue | undefined): ShownBlocks {
  return shownIn(content, (block) => (block["type"] === "image" ? [imageOf(block)] : []));
}

function imageOf(block: JsonObject): RecordedImage {
  const image = imageBlock(stringValue(block["mimeType"]), stringValue(block["data"]));
  return { ...image, bytes: numberOf(block["bytes"]) ?? image.bytes };
}

/** The blocks of a model's answer in the form of pi-ai. */
export function answerBlocks(content: JsonValue | undefined): RecordedAssistant["content"] {
  if (typeof content === "string") return textBlocks(content);
  return objectsOf(content).flatMap((block) =>
    saidIn(block, () => {
      const { type, id, name } = block;
      if (type !== "toolCall" || typeof id !== "string" || typeof name !== "string") return [];
      return [{ type, id, name, arguments: objectOf(block["arguments"]) }];
    }),
  );
}

/** The facts that pi-ai records of a model call apart from its content and its time. */
export function callFacts(message: JsonObject): ModelCallFacts {
  return defined({
    provider: stringValue(message["provider"]),
    model: stringValue(message["model"]),
    stopReason: stringValue(message["stopReason"]),
    usage: usageIn(message["usage"], usageNames),
  });
}

const usageNames = {
  input: "input",
  output: "output",
  cacheRead: "cacheRead",
  cacheWrite: "cacheWrite",
};
