/** A message of a list, by its name. */
export interface NamedMessage {
  readonly name: string;
  readonly role: string;
}

/** A message of the chat, by its name. */
export interface NamedKnown extends NamedMessage {
  /** Whether it is an answer that failed or was aborted. The host can have removed it. */
  readonly isFailed: boolean;
  /** Whether a summary replaces it. */
  readonly isReplaced: boolean;
}

/** For each message of a list, the index of the message of the chat that it is; undefined for a new one. */
type Places = readonly (number | undefined)[];

/**
 * Finds the messages of a list in the chat, for hosts whose messages have neither ids nor times. `isRewound`: the host
 * reports that the user went back.
 */
export function placesOf(
  list: readonly NamedMessage[],
  chat: readonly NamedKnown[],
  isRewound: boolean,
): Places {
  return isRewound
    ? placesAfterReport(list.map(nameOf), chat.map(nameOf))
    : placesInChat(list, chat);
}

/** Finds the messages of a list whose host reports that the user went back: it ends anywhere in the chat. */
function placesAfterReport(list: readonly string[], names: readonly string[]): Places {
  return moreFound(alignNames(list, names, "beginning"), alignWithin(list, names));
}

/**
 * Finds the messages up to the list's last answer first. What follows it waits for an answer, so it is looked for only
 * behind them.
 */
function placesInChat(list: readonly NamedMessage[], chat: readonly NamedKnown[]): Places {
  const answered = list.findLastIndex(({ role }) => role === "assistant") + 1;
  const lastAnswer = chat.findLastIndex(({ role }) => role === "assistant");
  const lastCounted = chat.findLastIndex(({ role, isFailed }) => role === "assistant" && !isFailed);
  const names = chat.map(nameOf);
  const past = list.slice(0, answered).map(nameOf);
  const waiting = list.slice(answered);
  /** Finds the waiting messages behind a known one. */
  const behind = (newest: number): Places => {
    const rest = [...chat.keys()].filter((at) => at > newest && chat[at]?.isFailed !== true);
    const differs = waiting.findIndex(({ name }, index) => names[rest[index] ?? -1] !== name);
    return waiting.map((_, index) => (differs === -1 || index < differs ? rest[index] : undefined));
  };
  /**
   * A prompt that had its answer before is a new one with the same words. So is one that a summary replaces, and one behind
   * new messages: they join the end of the chat, and the prompt has to follow them.
   */
  const unanswered = (places: Places): Places => {
    const prompt = list.findLastIndex(({ role }) => role === "user");
    const place = prompt < answered ? undefined : places[prompt];
    if (place === undefined) return places;
    const isBehindNew = places.slice(0, prompt).includes(undefined);
    const waits = place > lastCounted && chat[place]?.isReplaced !== true;
    if (waits && !isBehindNew) return places;
    return places.map((one, index) => (index < prompt ? one : undefined));
  };
  const withWaiting = (places: Places): Places => {
    if (answered === 0) return behind(lastCounted);
    const newest = places.at(-1);
    return [...places, ...(newest === undefined ? waiting.map(noPlace) : behind(newest))];
  };
  // What the chat has after an answer can be missing in the list: a failed answer, or a prompt that was taken back.
  const found = [names.length, lastAnswer + 1, lastCounted + 1]
    .map((end) => unanswered(withWaiting(alignNames(past, names.slice(0, end)))))
    .reduce(moreFound);
  const aligned = answered === 0 ? unanswered(alignNames(list.map(nameOf), names)) : found;
  const most = moreFound(found, aligned);
  if (countFound(most) > 0) return most;
  const within = unanswered(alignWithin(list.map(nameOf), names));
  // One message says little: its words can have been said before. But no list begins with a new answer.
  const [first] = list;
  const isAnswer = first?.role === "assistant" && isOnce(first.name, names);
  return countFound(within) > 1 || isAnswer ? within : most;
}

function isOnce(name: string, names: readonly string[]): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}

function moreFound(most: Places, next: Places): Places {
  return countFound(next) > countFound(most) ? next : most;
}

function noPlace(): undefined {
  return undefined;
}

function nameOf({ name }: NamedMessage): string {
  return name;
}

function countFound(places: readonly unknown[]): number {
  return places.filter((place) => place !== undefined).length;
}

/**
 * Finds the known messages in a host's list by their names alone, for hosts whose messages have neither ids nor times,
 * so that several messages can have one name. Returns the index of the known message for each name of the list, or
 * undefined for a new one. The order of both stays, and each known message is found once.
 *
 * A host changes its list in few ways: it appends, it drops the oldest messages, it goes back and continues in another
 * way, or it inserts a message. So the known messages are found as the common beginning of both, and as a block of the
 * list that is the end of the known ones. `prefers`: which of the two counts if they have the same length.
 */
export function alignNames(
  list: readonly string[],
  known: readonly string[],
  prefers: "beginning" | "end" = "end",
): Places {
  const begin = commonStart(list, known);
  const block = blockAtEnd(list, known);
  const isBlockMore = prefers === "end" ? block.length >= begin : block.length > begin;
  const takesBlock = block.length > 0 && (isBlockMore || block.start === begin);
  const blockInKnown = known.length - block.length;
  const takesBegin = !takesBlock || (begin <= block.start && begin <= blockInKnown);
  return list.map((_, index) => {
    if (takesBlock && index >= block.start && index < block.start + block.length)
      return blockInKnown + index - block.start;
    return takesBegin && index < begin ? index : undefined;
  });
}

/**
 * Finds the longest beginning of a list anywhere in the known names, at its last place: the host has dropped the oldest
 * messages and has also gone back.
 */
export function alignWithin(list: readonly string[], known: readonly string[]): Places {
  let found = { at: 0, length: 0 };
  for (const [at, length] of matchLengths(list, known).entries())
    if (length > 0 && length >= found.length) found = { at, length };
  return list.map((_, index) => (index < found.length ? found.at + index : undefined));
}

function commonStart(list: readonly string[], known: readonly string[]): number {
  const end = Math.min(list.length, known.length);
  for (let index = 0; index < end; index += 1) if (list[index] !== known[index]) return index;
  return end;
}

/** Returns the longest block of the list that is the end of the known names; of several, the first. */
function blockAtEnd(
  list: readonly string[],
  known: readonly string[],
): { readonly start: number; readonly length: number } {
  let found = { start: 0, length: 0 };
  const last = known.at(-1);
  if (last === undefined) return found;
  const lengths = matchLengths(known.toReversed(), list.toReversed());
  for (const [back, length] of lengths.entries()) {
    const start = list.length - back - length;
    if (length > 0 && length >= found.length) found = { start, length };
  }
  return found;
}

/** Returns for each index of `text` how many names from there on equal the beginning of `pattern` (the Z algorithm). */
function matchLengths(pattern: readonly string[], text: readonly string[]): readonly number[] {
  const all: readonly (string | undefined)[] = [...pattern, undefined, ...text];
  const lengths = [all.length];
  let left = 0;
  let right = 0;
  for (let index = 1; index < all.length; index += 1) {
    let length = index < right ? Math.min(right - index, lengths[index - left] ?? 0) : 0;
    while (index + length < all.length && all[length] === all[index + length]) length += 1;
    lengths.push(length);
    if (index + length > right) {
      left = index;
      right = index + length;
    }
  }
  return lengths.slice(pattern.length + 1);
}
