import type { CallAnswer, CallMessage, SnapshotCall, SnapshotData } from "../answers.ts";

// Used by the page too, so it needs nothing of Node.

/** The path of a call's answer. */
export function callPath(session: string, call: number): string {
  return `sessions/${encodeURIComponent(session)}/calls/${call}`;
}

/** Returns the whole answer of a call in a snapshot: with the messages of the calls before, and with all JSON. */
export function snapshotCall(data: SnapshotData, stored: SnapshotCall): CallAnswer {
  const { continues = 0, messages, ...answer } = stored;
  const pieces: (readonly CallMessage[])[] = [messages];
  let wanted = continues;
  for (let call = stored.call - 1; wanted > 0 && call > 0; call -= 1) {
    const earlier = data.answers[callPath(stored.session, call)] as SnapshotCall | undefined;
    if (earlier === undefined) break;
    const { continues: first = 0 } = earlier;
    if (first >= wanted) continue;
    pieces.push(
      earlier.messages.slice(0, wanted - first).map((message) => ({ ...message, isShared: true })),
    );
    wanted = first;
  }
  const whole = pieces.toReversed().flat();
  return {
    ...answer,
    messages: whole.map((message) => {
      const json = data.messages[message.hash];
      return json === undefined ? message : { ...message, json };
    }),
  };
}
