import type { ContextSession, ObjectStore } from "@self-context-manager/core";
import { objectId } from "@self-context-manager/objects";
import {
  type BreakingPlugin,
  type OpenTriedSession,
  type ScriptedMessage,
  sessionsWith,
} from "@self-context-manager/testkit";

/** A fault that a check of random histories must detect. */
export interface HistoryFault {
  readonly breaking?: BreakingPlugin;
  readonly openSession?: OpenTriedSession;
  /** Matches the message with which the check then fails. */
  readonly says: RegExp;
}

/** Faults by their effect on a session. */
export const historyFaults: Readonly<Record<string, HistoryFault>> = {
  "loses prompts that the host has dropped from its list": {
    breaking: sending((view, messages) => {
      const sent = new Set(messages.map(textOf));
      return view.filter((one) => one.kind !== "human" || sent.has(one.text));
    }),
    says: /contains every prompt|contains the newest prompt/u,
  },
  "sends a failed output twice": {
    breaking: sending((view) =>
      view.flatMap((one) => (one.kind === "output" && one.failed ? [one, one] : [one])),
    ),
    says: /the request is legal/u,
  },
  "activates everything when a session is resumed": {
    openSession: onOpening(async (session) => {
      const { objects } = await session.status();
      for (const { handle } of objects) await session.activate(handle);
    }),
    says: /no object becomes active by itself|same sets|same bytes|at that time/u,
  },
  "forgets pins when a session is resumed": {
    openSession: onOpening(async (session) => {
      const { objects } = await session.status();
      for (const { handle, state } of objects) if (state === "pinned") await session.unpin(handle);
    }),
    says: /same sets|same bytes|the objects pinned at that time/u,
  },
  "keeps the current sets when the user goes back": {
    openSession: onStore((store) => ({ history: async () => await store.history(nothing) })),
    says: /known again|at that time/u,
  },
  "ignores the report that the user went back": {
    breaking: () => ({ wentBack: () => undefined }),
    says: /contains every prompt|contains the newest prompt|is a part of|are inactive again/u,
  },
  "sends other bytes each time": {
    openSession: onOpening(async (session) => {
      opened += 1;
      const mark = `opened ${opened}`;
      return {
        ...session,
        peekView: async (options) => {
          const output = await session.peekView(options);
          return { ...output, messages: [...output.messages, { role: "user", content: mark }] };
        },
      };
    }),
    says: /same bytes/u,
  },
  "never waits for the disk": {
    openSession: onStore((store) => ({
      commit: async (writes, options) =>
        await store.commit(writes, { ...options, isFollowed: true }),
    })),
    says: /are on the disk when it is sent/u,
  },
  "stores a new object each time a file is read": {
    openSession: onStore((store) => ({
      find: async (query) => {
        const found = await store.find(query);
        return query.where?.["path"] === undefined ? found : { ...found, items: [] };
      },
    })),
    says: /is one object/u,
  },
};

let opened = 0;

const nothing = objectId("nothing");

function textOf(message: ScriptedMessage): string {
  return "text" in message ? message.text : "";
}

function sending(
  change: (
    view: readonly ScriptedMessage[],
    messages: readonly ScriptedMessage[],
  ) => readonly ScriptedMessage[],
): BreakingPlugin {
  return (sound) => ({
    assemble: async (messages) => {
      const view = await sound.assemble(messages);
      return view === undefined ? undefined : change(view, messages);
    },
  });
}

function onOpening(
  change: (session: ContextSession) => Promise<ContextSession | void>,
): OpenTriedSession {
  const open = sessionsWith();
  return async (parts, host) => {
    const session = await open(parts, host);
    return (await change(session)) ?? session;
  };
}

function onStore(change: (store: ObjectStore) => Partial<ObjectStore>): OpenTriedSession {
  const open = sessionsWith();
  return async (parts, host) =>
    await open({ ...parts, store: { ...parts.store, ...change(parts.store) } }, host);
}
