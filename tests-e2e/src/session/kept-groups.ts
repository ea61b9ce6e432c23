import {
  type ContextSession,
  type Message,
  neutralCodec,
  readList,
  type ViewOptions,
} from "@self-context-manager/core";
import { forgetGroups } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import {
  type HostEvent,
  hostEvent,
  memoryFolder,
  messagesOf,
  sessionsWith,
} from "@self-context-manager/testkit";
import * as fc from "fast-check";
import { setImmediate as nextTick } from "node:timers/promises";

/** What happens to a host's list before a call. Places are taken modulo the length of the list. */
export type ListMove =
  | { readonly type: "grows"; readonly events: readonly HostEvent[] }
  | { readonly type: "goes-back"; readonly to: number; readonly isReported: boolean }
  | { readonly type: "edits"; readonly at: number; readonly text: string }
  | { readonly type: "forks"; readonly at: number; readonly text: string }
  | { readonly type: "is-replaced"; readonly until: number; readonly text: string }
  | { readonly type: "is-compacted"; readonly until: number; readonly text: string }
  | { readonly type: "reopens" }
  | {
      readonly type: "uses";
      readonly object: number;
      readonly how: "activate" | "deactivate" | "pin";
    };

const place = fc.nat(10_000);
const text = fc.lorem({ maxCount: 6 });

export const listMove: fc.Arbitrary<ListMove> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant("grows" as const),
      events: fc.array(hostEvent, { minLength: 1, maxLength: 12 }),
    }),
  },
  fc.record({ type: fc.constant("goes-back" as const), to: place, isReported: fc.boolean() }),
  fc.record({ type: fc.constant("edits" as const), at: place, text }),
  fc.record({ type: fc.constant("forks" as const), at: place, text }),
  fc.record({ type: fc.constant("is-replaced" as const), until: place, text }),
  fc.record({ type: fc.constant("is-compacted" as const), until: place, text }),
  fc.constant({ type: "reopens" as const }),
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("uses" as const),
      object: place,
      how: fc.constantFrom("activate" as const, "deactivate" as const, "pin" as const),
    }),
  },
);

/**
 * Makes a session follow changes of its host's list, and compares it with one that computes everything from the start at each call:
 * no group of an earlier list is known, and the host's messages are copies. Throws if a view, an answer or anything
 * stored differs.
 */
export async function checkKeptGroups(
  moves: readonly ListMove[],
  contextWindow: number | undefined,
): Promise<void> {
  const options = contextWindow === undefined ? {} : { contextWindow };
  const kept = await play(moves, options, (list) => list);
  const fresh = await play(moves, options, (list) => {
    forgetGroups();
    return structuredClone(list);
  });
  for (const [call, texts] of kept.entries())
    for (const [part, text] of texts.entries())
      checkSame(`${parts[part] ?? ""} of call ${call}`, text, fresh[call]?.[part]);
}

/** What is compared of each call. */
const parts = ["answer", "view", "stored state"];

async function play(
  moves: readonly ListMove[],
  options: ViewOptions,
  given: (list: readonly Message[]) => readonly Message[],
): Promise<readonly (readonly string[])[]> {
  const store = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  const files = memoryFolder();
  const open = sessionsWith();
  const place = { store, files, workspace: files.path };
  const host = { harness: "scripted", sessionId: "s" };
  let session = await open(place, host);
  let list: readonly Message[] = [];
  let seen: string | undefined;
  const from = { time: 0, calls: 0 };
  const calls: (readonly string[])[] = [];
  for (const move of moves) {
    if (move.type === "reopens") session = await open(place, host);
    const answer = move.type === "uses" ? await use(session, move) : "";
    const { messages, rewound } = moved(list, move, from);
    list = messages;
    const read = readList(given(list), neutralCodec);
    const view = await session.ingestAndView(read, { rewound, ...options });
    const { versions, position } = await store.changesSince(seen);
    seen = position;
    const made = versions.map(async ({ body, version }) => await store.get(body.id, { version }));
    calls.push([answer, JSON.stringify(view), JSON.stringify(await Promise.all(made))]);
    // What a weak reference names is kept until the event loop turns, and nothing here waits for anything outside.
    await nextTick();
  }
  return calls;
}

/** Throws with the place of the first difference, because the texts are long. */
function checkSame(what: string, text: string, model = ""): void {
  if (text === model) return;
  let at = 0;
  while (text[at] === model[at]) at += 1;
  const part = (of: string): string => of.slice(Math.max(0, at - 200), at + 200);
  throw new Error(`the ${what} differs:\n${part(text)}\nfrom the start it is:\n${part(model)}`);
}

async function use(
  session: ContextSession,
  { object, how }: Extract<ListMove, { type: "uses" }>,
): Promise<string> {
  const { objects } = await session.status();
  const handle = objects[object % Math.max(1, objects.length)]?.handle ?? "t1";
  return JSON.stringify(await session[how](handle));
}

interface Moved {
  readonly messages: readonly Message[];
  readonly rewound: boolean;
}

function moved(
  list: readonly Message[],
  move: ListMove,
  from: { time: number; calls: number },
): Moved {
  const at = (index: number): number => (list.length === 0 ? 0 : index % list.length);
  const said = (content: string): Message => {
    from.time += 1;
    return { role: "user", content, timestamp: from.time };
  };
  switch (move.type) {
    case "grows":
      return { messages: [...list, ...messagesOf(move.events, from)], rewound: false };
    case "goes-back":
      return { messages: list.slice(0, at(move.to)), rewound: move.isReported };
    case "edits":
      return {
        messages: list.map((one, index) => (index === at(move.at) ? said(move.text) : one)),
        rewound: false,
      };
    case "forks":
      return { messages: [...list.slice(0, at(move.at)), said(move.text)], rewound: false };
    case "is-replaced":
      return { messages: [said(move.text), ...list.slice(at(move.until))], rewound: false };
    case "is-compacted": {
      from.time += 1;
      const summary: Message = {
        role: "summary",
        kind: "summary",
        isFromManager: false,
        raw: { role: "summary", content: move.text },
        timestamp: from.time,
      };
      return { messages: [summary, ...list.slice(at(move.until))], rewound: false };
    }
    case "reopens":
    case "uses":
      return { messages: list, rewound: false };
  }
}
