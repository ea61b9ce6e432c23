/** A part of a message, in a form for people. */
export type MessagePart =
  | { readonly type: "text" | "thinking"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly id: string; readonly json: string }
  | { readonly type: "result"; readonly name: string; readonly text: string }
  | {
      readonly type: "image";
      readonly mediaType: string;
      readonly data?: string;
      readonly size: number;
    }
  | { readonly type: "json"; readonly name: string; readonly json: string };

/** A message with its role and its parts. `parts` is one of JSON if the form is not known. */
export interface ReadMessage {
  readonly role: string;
  /** The name of the tool whose result it is. */
  readonly tool?: string;
  readonly isError: boolean;
  readonly parts: readonly MessagePart[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a message of any host: the names of its fields are those of Pi, of the AI SDK, and of the providers. */
export function readMessage(json: string): ReadMessage {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // A message that is no JSON is shown as the text that it is.
    return { role: "unknown", isError: false, parts: [{ type: "text", text: json }] };
  }
  if (!isFields(value)) return { role: "unknown", isError: false, parts: [asJson("", value)] };
  const tool = textField(value, "toolName");
  return {
    role: textField(value, "role") ?? textField(value, "type") ?? "unknown",
    ...(tool === undefined ? {} : { tool }),
    isError: value["isError"] === true,
    parts: partsOrText(value, json),
  };
}

function partsOrText(message: Fields, json: string): readonly MessagePart[] {
  try {
    return contentParts(message);
  } catch {
    // Values that are nested very deeply cannot be indented. The other messages of the call are still shown.
    return [{ type: "text", text: json }];
  }
}

function contentParts(message: Fields): readonly MessagePart[] {
  const content = message["content"];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(partOf);
  return [asJson("", message)];
}

function partOf(block: unknown): MessagePart {
  if (typeof block === "string") return { type: "text", text: block };
  if (!isFields(block)) return asJson("", block);
  const type = textField(block, "type") ?? "";
  const text = textField(block, "text");
  switch (type) {
    case "text":
      return text === undefined ? asJson(type, block) : { type: "text", text };
    case "thinking":
    case "reasoning": {
      const thought = textField(block, "thinking") ?? text;
      return thought === undefined ? asJson(type, block) : { type: "thinking", text: thought };
    }
    case "toolCall":
    case "tool-call":
    case "tool_use":
      return {
        type: "call",
        name: textField(block, "name") ?? textField(block, "toolName") ?? "",
        id: textField(block, "id") ?? textField(block, "toolCallId") ?? "",
        json: pretty(block["arguments"] ?? block["input"] ?? block["args"] ?? {}),
      };
    case "tool-result":
    case "tool_result":
      return resultPart(block);
    case "image":
    case "file":
      return imagePart(block) ?? asJson(type, block);
    default:
      return asJson(type, block);
  }
}

function resultPart(block: Fields): MessagePart {
  const output = block["output"] ?? block["content"] ?? block["result"];
  const value = isFields(output) && "value" in output ? output["value"] : output;
  const name = textField(block, "toolName") ?? "";
  return { type: "result", name, text: typeof value === "string" ? value : pretty(value) };
}

function imagePart(block: Fields): MessagePart | undefined {
  const source = block["source"];
  const from = isFields(source) ? source : block;
  const mediaType =
    textField(from, "mimeType") ?? textField(from, "mediaType") ?? textField(from, "media_type");
  const data = textField(from, "data") ?? textField(from, "image");
  if (mediaType === undefined || data === undefined) return undefined;
  // Base64 has 4 characters for 3 bytes.
  const size = Math.floor((data.length * 3) / 4);
  return { type: "image", mediaType, size, ...(isBase64(data) ? { data } : {}) };
}

/** Types of pictures that a browser draws without running anything in them. */
const rasterTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The address of a picture with its data; undefined for a type that is not a known raster type. */
export function pictureUrl(mediaType: string, data: string | undefined): string | undefined {
  if (data === undefined || !rasterTypes.has(mediaType)) return undefined;
  return `data:${mediaType};base64,${data}`;
}

function isBase64(text: string): boolean {
  return /^[\w+/-]*={0,2}$/u.test(text);
}

function asJson(name: string, value: unknown): MessagePart {
  return { type: "json", name, json: pretty(value) };
}

function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "undefined";
}

function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
