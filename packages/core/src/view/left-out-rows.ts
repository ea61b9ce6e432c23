import { isAssistantStep, type Turn } from "../chat/turn.ts";

/**
 * A message of the chat: a user's message (step -1), an answer or a host's message of a step, or the result of one call of
 * an answer.
 */
export interface MessagePlace {
  readonly turn: number;
  readonly step: number;
  readonly call?: number;
}

/** The messages of a chat that an extension of the host leaves out of its requests. */
export interface LeftOut {
  /** The stored form: rows such as `3` for a whole turn, `3u` for its user message, `3.2` for a step, `3.2.0` for a result. */
  readonly rows: readonly string[];
  /** Whether a message is left out. The results of an answer that is left out are left out too. */
  has(place: MessagePlace): boolean;
}

/** Returns the messages that rows name. */
export function leftOutOf(rows: readonly string[]): LeftOut {
  if (rows.length === 0) return nothingLeftOut;
  const named = new Set(rows);
  return {
    rows,
    has: ({ turn, step, call }) =>
      named.has(String(turn)) ||
      named.has(placeRow({ turn, step })) ||
      (call !== undefined && named.has(placeRow({ turn, step, call }))),
  };
}

const nothingLeftOut: LeftOut = { rows: [], has: () => false };

/**
 * Returns the shortest rows for messages of a chat. The last turn can grow, so it has no row as a whole. Places that the
 * chat does not have are skipped.
 */
export function leftOutRows(
  turns: readonly Turn[],
  places: readonly MessagePlace[],
): readonly string[] {
  const named = leftOutOf(places.map(placeRow));
  const indexes = new Set(places.map(({ turn }) => turn));
  return [...indexes]
    .toSorted((left, right) => left - right)
    .flatMap((index) => {
      const turn = turns[index];
      if (turn === undefined) return [];
      const messages = messagesOf(turn, index);
      const isWhole = messages.every((place) => named.has(place));
      return isWhole && index < turns.length - 1
        ? [String(index)]
        : rowsWithin(turn, messages, named);
    });
}

function rowsWithin(
  turn: Turn,
  messages: readonly MessagePlace[],
  named: LeftOut,
): readonly string[] {
  return messages.flatMap((place) => {
    if (named.has(place)) return [placeRow(place)];
    const results = resultsOf(turn, place);
    return results.filter((result) => named.has(result)).map(placeRow);
  });
}

/** Returns the messages of a chat that rows name, one by one. */
export function placesOf(turns: readonly Turn[], leftOut: LeftOut): readonly MessagePlace[] {
  const indexes = new Set(leftOut.rows.map((row) => Number.parseInt(row, 10)));
  return [...indexes].flatMap((index) => {
    const turn = turns[index];
    if (turn === undefined) return [];
    return messagesOf(turn, index).flatMap((place) =>
      leftOut.has(place) ? [place] : resultsOf(turn, place).filter((result) => leftOut.has(result)),
    );
  });
}

function messagesOf({ user, steps }: Turn, turn: number): readonly MessagePlace[] {
  const said = user === null ? [] : [{ turn, step: -1 }];
  return [...said, ...steps.map((_, step) => ({ turn, step }))];
}

function resultsOf({ steps }: Turn, { turn, step }: MessagePlace): readonly MessagePlace[] {
  const found = steps[step];
  if (found === undefined || !isAssistantStep(found)) return [];
  return found.toolcall_ids.map((_, call) => ({ turn, step, call }));
}

/** Returns the row of one message. */
export function placeRow({ turn, step, call }: MessagePlace): string {
  if (step < 0) return `${turn}u`;
  return call === undefined ? `${turn}.${step}` : `${turn}.${step}.${call}`;
}
