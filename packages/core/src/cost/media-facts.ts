import { isJsonObject, type JsonValue } from "@self-context-manager/objects";
import { imageSize } from "image-size";
import { type Block, isText, isToolCall } from "../chat/message.ts";

/** What kind of file a block holds. */
type MediaKind = "image" | "document" | "audio" | "video";

/** The facts of a file in a message by which providers count its tokens. */
export type MediaFacts =
  | { readonly kind: "image"; readonly width: number; readonly height: number }
  | { readonly kind: "document"; readonly pages: number }
  /** A document whose text the provider reads, with the number of its bytes. */
  | { readonly kind: "text"; readonly bytes: number }
  | { readonly kind: "audio" | "video"; readonly seconds: number };

/** The declared sizes of files whose own size cannot be read, for example behind a URL. */
const declared = {
  /** Pixels of each side of an image. Anthropic scales no image of this size. */
  side: 1_092,
  pages: 10,
  bytesOfPage: 60_000,
  seconds: 60,
  /** Bytes of a second: sound of 128 kbit/s, and a video of 2 Mbit/s. */
  bytesOfSecond: { audio: 16_000, video: 250_000 },
} as const;

/** Returns the facts of the file that a block holds; undefined for a block that holds none. */
export function mediaOf(block: Block): MediaFacts | undefined {
  if (isText(block) || isToolCall(block)) return undefined;
  const known = kept.get(block);
  if (known !== undefined) return known;
  const file = fileIn(block);
  const kind = kindOf(file.type ?? block.type);
  // Some libraries give the text of a document as a field.
  const isThere = kind === "image" || file.data !== undefined || file.isRemote;
  if (kind === undefined || !isThere) return undefined;
  const facts = factsOf(kind, file);
  kept.set(block, facts);
  return facts;
}

/** The facts of blocks. A block never changes, and a file in it can have many megabytes. */
const kept = new WeakMap<Block, MediaFacts>();

/** Whether a message has files that are not text. */
export function hasFiles(content: string | readonly Block[]): boolean {
  return typeof content !== "string" && content.some((block) => mediaOf(block) !== undefined);
}

/** A file as a block has it. */
interface FileInBlock {
  /** The media type, such as `application/pdf`. */
  type?: string;
  /** The content in base64; undefined for a file that the provider fetches. */
  data?: string;
  /** Whether the block names a file that the provider fetches or has, and does not give its text. */
  isRemote: boolean;
}

const typeFields = new Set(["mimeType", "mime_type", "mediaType", "media_type"]);
const dataFields = new Set(["data", "file_data", "fileData", "base64", "bytes", "url", "image"]);
const idFields = new Set(["file_id", "fileId", "file_uri", "fileUri"]);
const dataUrl = /^data:([^;,]+)[^,]*;base64,/u;

/** Finds the file in a block. Providers and libraries have it under different names, at different depths. */
function fileIn(block: Block): FileInBlock {
  const found = { isRemote: false, hasText: false };
  look(block, 3, found);
  return { ...found, isRemote: found.isRemote && !found.hasText };
}

function look(
  value: JsonValue | undefined,
  depth: number,
  found: FileInBlock & { hasText: boolean },
): void {
  if (!isJsonObject(value)) return;
  for (const [name, field] of Object.entries(value)) {
    if (name === "text") found.hasText = true;
    if (typeof field !== "string") {
      if (depth > 0) look(field, depth - 1, found);
      continue;
    }
    const url = field.startsWith("data:") ? dataUrl.exec(field.slice(0, 200)) : null;
    if (url !== null) {
      found.type ??= url[1] as string;
      found.data ??= field.slice(url[0].length);
    } else if (typeFields.has(name)) found.type ??= field;
    else if (idFields.has(name) || /^[a-z]+:\/\//u.test(field)) found.isRemote = true;
    else if (dataFields.has(name) && isBase64(field)) found.data ??= field;
  }
}

function isBase64(text: string): boolean {
  return text.length >= 8 && /^[\w+/=-]+$/u.test(text.slice(0, 64));
}

/** Returns the kind of a file by its media type, or by the type of its block. */
function kindOf(type: string): MediaKind | undefined {
  if (/image/u.test(type)) return "image";
  if (/audio/u.test(type)) return "audio";
  if (/video/u.test(type)) return "video";
  if (/document|(?:^|_|-)(?:file|media)(?:$|[A-Z])|^(?:text|application)\//u.test(type))
    return "document";
  return undefined;
}

function factsOf(kind: MediaKind, { type = "", data }: FileInBlock): MediaFacts {
  const bytes = data === undefined ? undefined : Math.floor((data.length * 3) / 4);
  if (kind === "image") return { kind, ...(data === undefined ? unknownImage : sizeOf(data)) };
  if (kind === "document") {
    if (bytes === undefined || data === undefined) return { kind, pages: declared.pages };
    if (/^text\/|json|xml|yaml|csv/u.test(type)) return { kind: "text", bytes };
    const pages = pagesIn(data) ?? Math.ceil(bytes / declared.bytesOfPage);
    return { kind, pages: Math.max(1, pages) };
  }
  if (bytes === undefined || data === undefined) return { kind, seconds: declared.seconds };
  const rate = (kind === "audio" ? byteRate(data) : undefined) ?? declared.bytesOfSecond[kind];
  return { kind, seconds: Math.ceil(bytes / rate) };
}

const unknownImage = { width: declared.side, height: declared.side };

/** Characters of base64 in which the size of nearly every image is. */
const headLength = 120_000;

function sizeOf(data: string): { readonly width: number; readonly height: number } {
  for (const part of [data.slice(0, headLength), data]) {
    try {
      const { width, height } = imageSize(Buffer.from(part, "base64"));
      if (width > 0 && height > 0) return { width, height };
    } catch {
      // A large head of other data can be before the size. An unknown format has the declared size.
    }
  }
  return unknownImage;
}

/** Returns the number of pages of a PDF, as far as it is not compressed. */
function pagesIn(data: string): number | undefined {
  const text = Buffer.from(data, "base64").toString("latin1");
  if (!text.startsWith("%PDF")) return undefined;
  const pages = [...text.matchAll(/\/Type\s*\/Page(?![A-Za-z])/gu)].length;
  if (pages > 0) return pages;
  const counts = [...text.matchAll(/\/Count\s+(\d{1,6})/gu)].map((match) => Number(match[1]));
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** Returns the bytes of a second that the head of a WAV file states. */
function byteRate(data: string): number | undefined {
  const head = Buffer.from(data.slice(0, 64), "base64");
  if (head.length < 32 || head.toString("latin1", 0, 4) !== "RIFF") return undefined;
  const rate = head.readUInt32LE(28);
  return rate > 0 ? rate : undefined;
}
