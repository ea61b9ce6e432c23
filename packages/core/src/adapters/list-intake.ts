import { defined } from "@self-context-manager/objects";

import type { HostSignals } from "../history/ingest-messages.ts";
import type { ReadList } from "../host/read-list.ts";
import type { ContextSession } from "../session/context-session.ts";
import type { ConnectionNotices } from "./connection-notices.ts";
import type { GuardedSession } from "./guarded-session.ts";
import type { HostToolRecords } from "./host-tool-records.ts";
import { type ViewAnswer, viewAnswer } from "./view-answer.ts";

/** Passes a host's lists to the session, with what the host and earlier requests have reported about them. */
export interface ListIntake {
  /** The user went back, and no ingest since has succeeded. */
  isRewound: boolean;
  readonly answer: ViewAnswer;
  /** Records what the session must have before a list, and returns the signals for the list. */
  prepare(session: ContextSession, list: ReadList, given: HostSignals): Promise<HostSignals>;
  /** The session has the list. */
  taken(session: ContextSession, list: ReadList): Promise<void>;
  /** Ingests a list without a view. */
  ingest(session: ContextSession, list: ReadList, given: HostSignals): Promise<void>;
}

export function listIntake(
  guard: GuardedSession,
  notices: ConnectionNotices,
  records: HostToolRecords,
): ListIntake {
  const answer = viewAnswer();
  const named = new Set<string>();

  function signalsFor(list: ReadList, { summaries }: HostSignals): HostSignals {
    const answerAt = answer.indexIn(list);
    return { ...(intake.isRewound ? { rewound: true } : {}), ...defined({ answerAt, summaries }) };
  }

  /** Notifies the user once of each message of which a part became a text. */
  async function nameCutMessages(session: ContextSession, { messages }: ReadList): Promise<void> {
    const cut = messages.filter((one) => one.isCut() && !named.has(one.key));
    if (cut.length === 0) return;
    const { turnCount } = await session.status();
    for (const one of cut) {
      named.add(one.key);
      const later = messages.slice(messages.indexOf(one) + 1);
      const prompts = later.filter(({ identity }) => identity.role === "user").length;
      notices.cut(one.decode(), turnCount - prompts);
    }
  }

  const intake: ListIntake = {
    isRewound: false,
    answer,
    async prepare(session, list, given) {
      const signals = signalsFor(list, given);
      // What is recorded after it gets no handle that the messages mention.
      if (guard.lacksHistory) await session.ingest(list, signals);
      guard.lacksHistory = false;
      await records.record(session);
      return signals;
    },
    async taken(session, list) {
      intake.isRewound = false;
      notices.recovered();
      await nameCutMessages(session, list);
    },
    async ingest(session, list, given) {
      await session.ingest(list, await intake.prepare(session, list, given));
      await intake.taken(session, list);
    },
  };
  return intake;
}
