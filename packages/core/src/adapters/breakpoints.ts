import type { ViewMessage } from "../view/layout.ts";
import {
  blocksOf,
  canCarry,
  type Fields,
  fieldsIn,
  type HostMarkers,
  hostMarkers,
  imageKey,
  isFields,
  isInstruction,
  type KeyedPlace,
  keyedPlaces,
  type Marker,
  markerOf,
  type PayloadFormat,
  type Place,
  resultKey,
  textKey,
} from "./payload-format.ts";

/** The most breakpoints that Anthropic and Bedrock accept in one request; a request with more is refused. */
const mostBreakpoints = 4;

/**
 * Returns a provider's request with the view's breakpoints instead of the host's: at the end of the system prompt and after
 * the messages of the view with these indexes (`boundaries` of the view), the newest last. The request has the form of
 * Anthropic's messages, of Bedrock's Converse, or of OpenAI's chat completions with Anthropic's markers. The host's
 * lifetime of cache entries is kept. Returns undefined to keep the request unchanged: it has no breakpoint of the host (the
 * provider finds the cache by itself, or caching is off), its format is not known, or it does not belong to this view.
 */
export function ownBreakpoints(
  payload: unknown,
  sent: readonly ViewMessage[],
  boundaries: readonly number[],
): Fields | undefined {
  if (!isFields(payload)) return undefined;
  const host = hostMarkers(payload);
  if (host === undefined) return undefined;
  const found = placesOf(payload, sent, boundaries);
  if (found.length === 0) return undefined;
  return marked(payload, host, chosen(found, host, boundaries));
}

/** The lifetime of cache entries that the host asks for; undefined for a request without breakpoints. */
export function askedRetention(payload: unknown): "short" | "long" | undefined {
  const host = isFields(payload) ? hostMarkers(payload) : undefined;
  if (host === undefined) return undefined;
  return host.marker["ttl"] === "1h" ? "long" : "short";
}

interface Found extends Place {
  readonly index: number;
}

/**
 * Finds the ends of the messages with these indexes in the request. A block is recognised by its content, and equal
 * blocks by their order. If the request and the view have different numbers of equal blocks, none of them is used.
 */
function placesOf(
  payload: Fields,
  sent: readonly ViewMessage[],
  boundaries: readonly number[],
): readonly Found[] {
  const keyed = keyedPlaces(payload);
  const places = Map.groupBy(keyed, ({ key }) => key);
  const keys = Map.groupBy(
    sent.flatMap((message, index) => viewKeys(message).map((key) => ({ key, index }))),
    ({ key }) => key,
  );
  return boundaries.flatMap((index) => {
    const message = sent[index];
    const key = message === undefined ? undefined : viewKeys(message).at(-1);
    if (key === undefined) return [];
    const sentPlaces = keys.get(key) ?? [];
    const requestPlaces = places.get(key) ?? [];
    const place = requestPlaces[sentPlaces.findLastIndex((one) => one.index === index)];
    if (place === undefined || sentPlaces.length !== requestPlaces.length) return [];
    const end = endOf(payload, place, (other) => keys.has(other.key));
    return end === undefined ? [] : [{ ...end, index }];
  });

  /** Includes blocks that providers' adapters append to a message, such as the images of a failed tool call. */
  function endOf(
    { messages }: Fields,
    place: Place,
    isOfView: (place: KeyedPlace) => boolean,
  ): Place | undefined {
    const { message } = place;
    const blocks = blocksOf(fieldsIn(messages)[message] ?? {});
    const others = keyed.filter((other) => other.message === message && other.block > place.block);
    if (others.some(isOfView)) return { message, block: place.block };
    const block = blocks.findLastIndex(canCarry);
    return block < place.block ? undefined : { message, block };
  }
}

/**
 * The keys of the blocks that a message of the view becomes, for a message whose kind only the host knows as far as it has
 * blocks like a user's message; none for an answer.
 */
function viewKeys(message: ViewMessage): readonly string[] {
  switch (message.role) {
    case "toolResult":
      return [resultKey(message.toolCallId)];
    case "assistant":
      return [];
    case "user":
      return contentKeys({ content: message.content });
    case "opaque":
      // An answer that the codec could not read is one too.
      return message.kind === "assistant" || !isFields(message.raw) ? [] : contentKeys(message.raw);
    default:
      return message satisfies never;
  }
}

function contentKeys(message: Fields): readonly string[] {
  return blocksOf(message).flatMap(({ type, text, data }) => {
    const key = typeof text === "string" ? textKey(text) : undefined;
    if (key !== undefined) return [key];
    return type === "image" && typeof data === "string" ? [imageKey(data)] : [];
  });
}

/**
 * The places in their order in the request, at most as many as the provider accepts; the host's last one ends the
 * prompt.
 */
function chosen(
  found: readonly Found[],
  host: HostMarkers,
  boundaries: readonly number[],
): readonly Place[] {
  const newest = boundaries.at(-1);
  const { last } = host;
  const ends = last === undefined ? found : found.filter(({ index }) => index !== newest);
  const all = last === undefined ? ends : [...ends, last];
  const byKey = new Map(all.map((place) => [keyOf(place), place] as const));
  const room = mostBreakpoints - (host.head === undefined ? 0 : 1);
  return [...byKey.values()].toSorted(inOrder).slice(-room);
}

function marked(payload: Fields, host: HostMarkers, places: readonly Place[]): Fields {
  const { format, marker, head } = host;
  const at = new Set(places.map(keyOf));
  const messages = fieldsIn(payload["messages"]).map((message, index) => {
    if (format === "completions" && isInstruction(message)) return message;
    return markedMessage(message, format, marker, (block) =>
      at.has(keyOf({ message: index, block })),
    );
  });
  return {
    ...payload,
    messages,
    ...(Array.isArray(payload["system"]) ? { system: onlyLast(payload["system"], format) } : {}),
    ...(Array.isArray(payload["tools"])
      ? { tools: toolsOf(payload["tools"], format, head === "tools") }
      : {}),
  };
}

function markedMessage(
  message: Fields,
  format: PayloadFormat,
  marker: Marker,
  isMarked: (block: number) => boolean,
): Fields {
  const blocks = blocksOf(message);
  const isAny = blocks.some((_block, index) => isMarked(index));
  const hadAny = blocks.some((block) => markerOf(block, format) !== undefined);
  if (!isAny && !hadAny) return message;
  if (format !== "bedrock") {
    const content = blocks.map((block, index) =>
      isMarked(index) ? { ...block, cache_control: { ...marker } } : bare(block),
    );
    return { ...message, content };
  }
  // In Bedrock's format a breakpoint is a separate block after the content that it ends; the host's own is one of the
  // places.
  const content = blocks.flatMap((block, index) => {
    if (markerOf(block, format) !== undefined) return isMarked(index) ? [block] : [];
    return isMarked(index) ? [block, { cachePoint: { ...marker } }] : [block];
  });
  return { ...message, content };
}

/** Keeps only the last breakpoint of the system blocks: it covers the blocks before it. */
function onlyLast(system: readonly unknown[], format: PayloadFormat): readonly unknown[] {
  const isMarker = (block: unknown): boolean =>
    isFields(block) && markerOf(block, format) !== undefined;
  const last = system.findLastIndex(isMarker);
  if (format === "bedrock")
    return system.filter((block, index) => index === last || !isMarker(block));
  return system.map((block, index) => (index !== last && isFields(block) ? bare(block) : block));
}

/** Tools come before the system prompt, so the breakpoint of the system prompt covers them. */
function toolsOf(
  tools: readonly unknown[],
  format: PayloadFormat,
  isHead: boolean,
): readonly unknown[] {
  if (isHead) return onlyLast(tools, format);
  return tools.map((tool) => (isFields(tool) ? bare(tool) : tool));
}

function bare(block: Fields): Fields {
  if (block["cache_control"] === undefined) return block;
  const { cache_control: _marker, ...rest } = block;
  return rest;
}

function keyOf({ message, block }: Place): string {
  return `${message}.${block}`;
}

function inOrder(left: Place, right: Place): number {
  return left.message - right.message || left.block - right.block;
}
