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
  taken(): void;
  /** Ingests a list without a view. */
  ingest(session: ContextSession, list: ReadList, given: HostSignals): Promise<void>;
}

export function listIntake(
  guard: GuardedSession,
  notices: ConnectionNotices,
  records: HostToolRecords,
): ListIntake {
  const answer = viewAnswer();

  function signalsFor(list: ReadList, { summaries }: HostSignals): HostSignals {
    const answerAt = answer.indexIn(list);
    return { ...(intake.isRewound ? { rewound: true } : {}), ...defined({ answerAt, summaries }) };
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
    taken() {
      intake.isRewound = false;
      notices.recovered();
    },
    async ingest(session, list, given) {
      await session.ingest(list, await intake.prepare(session, list, given));
      intake.taken();
    },
  };
  return intake;
}
