import type { Block, ViewMessage } from "@self-context-manager/core";
import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

import { blue, red } from "../harness/samples.ts";
import type { CodecSubject } from "./codec-subject.ts";

/** Messages of a view in core's form, no two of the same content. Some have the same text. */
export function viewMessages(images: boolean): readonly ViewMessage[] {
  const call = { type: "toolCall", name: "show", arguments: { path: "a.txt", deep: [{ n: 1 }] } };
  const result = { role: "toolResult", toolName: "show", isError: false } as const;
  return [
    { role: "user", content: "words of the user" },
    { role: "user", content: [text("é 𝄞\nsecond line")] },
    ...(images ? [{ role: "user", content: [text("look"), image(red)] } as const] : []),
    { role: "assistant", content: [text("an answer")], meta: {} },
    { role: "assistant", content: [{ ...call, id: "call_1" }], meta: {} },
    {
      role: "assistant",
      content: [
        text("an answer"),
        { ...call, id: "call_2" },
        { ...call, id: "call_3", arguments: {} },
      ],
      meta: {},
    },
    { ...result, toolCallId: "call_1", content: [text("an output")] },
    { ...result, toolCallId: "call_2", content: [text("an output")], isError: true },
    ...(images
      ? [{ ...result, toolCallId: "call_3", content: [text("a picture"), image(blue)] } as const]
      : []),
  ];
}

function text(words: string): Block {
  return { type: "text", text: words };
}

function image(data: string): Block {
  return { type: "image", data, mimeType: "image/png" };
}

/** Returns all messages of a subject: those that its codec encodes, and its samples. */
export function allMessages<Raw>(subject: CodecSubject<Raw>): readonly Raw[] {
  const { encode, images = true, signed, detailed } = subject;
  const encoded = viewMessages(images).map((message, index) => encode(message, stampOf(index)));
  const special = [signed, detailed].flatMap((one) => (one === undefined ? [] : [one.message]));
  return [...encoded, ...subject.samples, ...special];
}

/** Returns a stamp that differs for each number. */
export function stampOf(index: number): { readonly id: string; readonly at: number } {
  return { id: `encoded-${index}`, at: 1_600_000_000_000 + index };
}

/** Values that no field of a message expects everywhere. */
const oddValues: readonly JsonValue[] = [null, 7, "odd", true, [], {}, [null], [{ type: 7 }]];

/**
 * Returns input that no host should give: values that are no message, and messages in which a field is missing or has an
 * odd value.
 */
export function oddInput<Raw>(messages: readonly Raw[]): readonly Raw[] {
  const odd = [...oddValues, ...messages.flatMap((message) => spoilt(message as JsonValue))];
  // A codec must read them although they are not of the host's type.
  return odd as readonly unknown[] as readonly Raw[];
}

/** Returns copies of a value, each with one field or item that is missing or odd. */
function spoilt(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return items.flatMap((item, index) =>
      [...oddValues, ...spoilt(item)].map((one) => items.with(index, one)),
    );
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, field = null]) => {
    const { [name]: _, ...rest } = value;
    return [rest, ...[...oddValues, ...spoilt(field)].map((one) => ({ ...value, [name]: one }))];
  });
}
