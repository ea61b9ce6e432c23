import { sha256 } from "@self-context-manager/objects";
import {
  contextToolsBeside,
  type NamedContextTools,
  toolTokens,
} from "../session/context-tools.ts";
import { answerWithoutThinking } from "./answer-without-thinking.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { type ConnectionNotices, connectionNotices } from "./connection-notices.ts";
import { type GuardedSession, guardedSession } from "./guarded-session.ts";
import { type HostToolRecords, hostToolRecords } from "./host-tool-records.ts";
import { type ModelCalls, modelCalls } from "./model-calls.ts";
import { ownThinking } from "./own-thinking.ts";
import { type SentRequests, sentRequests } from "./sent-requests.ts";
import { type TurnSummaries, turnSummaries } from "./turn-summaries.ts";

/** The parts of a connection, each with a state of its own. */
export interface ConnectionParts<Raw> {
  readonly notices: ConnectionNotices;
  readonly guard: GuardedSession;
  readonly records: HostToolRecords;
  readonly sent: SentRequests<Raw>;
  readonly calls: ModelCalls<Raw>;
  readonly summaries: TurnSummaries;
  /** Returns the context tools beside those of the host. */
  readonly beside: () => NamedContextTools;
  /** Whether the model can use the context tools now. */
  readonly canActivate: () => boolean;
  /** The system prompt of the host; undefined if the host has not shown it. */
  readonly prompts: { host: string | undefined };
}

export function connectionParts<Raw>(options: ConnectOptions<Raw>): ConnectionParts<Raw> {
  const { codec, encode, clock, refusalIn, onUse = () => undefined } = options;
  const { breakpoints = "host", isCacheLong = false, isRecorded = () => true } = options;
  const { findsWentBack = false } = options;
  const { withoutThinking = (raw: Raw) => answerWithoutThinking(raw, codec, encode) } = options;
  const { hostTools: given } = options;
  const hostTools = typeof given === "function" ? given : (): readonly string[] => given;
  const beside = namedTools(hostTools);
  const hasTools = (): boolean => beside().tools.length > 0;
  const canActivate = (): boolean => hasTools() && options.canActivate?.() !== false;
  const notices = connectionNotices(options);
  const guard = guardedSession({
    open: async () => {
      const session = await options.open();
      session.announceTools(hostTools());
      return session;
    },
    close: options.close,
    onUse,
    clock,
    notices,
    isOff: options.isOff === true,
  });
  const records = hostToolRecords(guard, notices, isRecorded);
  const thinking = ownThinking({ withoutThinking, refusalIn });
  const sent = sentRequests<Raw>({ breakpoints, isCacheLong, clock });
  const prompts: ConnectionParts<Raw>["prompts"] = { host: undefined };

  /** Names the text before the messages, as far as the host shows it. */
  function headName(): string | undefined {
    const { refusals } = thinking;
    if (options.headName !== undefined) return options.headName(refusals);
    if (prompts.host === undefined) return undefined;
    const texts = [prompts.host, hostTools(), beside().instruction];
    const named = refusals === 0 ? texts : [...texts, refusals];
    return sha256(JSON.stringify(named)).slice(0, 16);
  }

  const summaries = turnSummaries(guard, options.summaries, clock);
  const shared = {
    codec,
    encode,
    guard,
    notices,
    records,
    thinking,
    sent,
    findsWentBack,
    summaries,
  };
  const ownTokens = (): number => toolTokens(beside());
  const calls = modelCalls({ ...shared, hasTools, canActivate, headName, ownTokens });
  return { notices, guard, records, sent, calls, summaries, beside, canActivate, prompts };
}

/** Returns the context tools beside those of the host. They are made again when the host's tools have changed. */
function namedTools(hostTools: () => readonly string[]): () => NamedContextTools {
  let last = hostTools();
  let tools = contextToolsBeside(last);
  return () => {
    const now = hostTools();
    if (now !== last) tools = contextToolsBeside(now);
    last = now;
    return tools;
  };
}
