import type { View, ViewOptions } from "@self-context-manager/core";
import type { Connection } from "@self-context-manager/core/host";

import { withHostCallIds, withOwnCallIds } from "./call-ids.ts";
import { type OpenClawMessage, usageOf } from "./openclaw-messages.ts";
import { splitMessages, type SplitMessages } from "./split-messages.ts";
import type { TextSwaps } from "./text-swaps.ts";
import { earlierMessages } from "./earlier-messages.ts";
import { sameTexts, turnView } from "./turn-view.ts";

/** A request of OpenClaw's loop. */
interface TurnRequest {
  /** The messages before the turn. */
  readonly earlier: readonly OpenClawMessage[];
  /** The messages of the turn, which the host appends by itself. */
  readonly turn: readonly OpenClawMessage[];
  readonly options: ViewOptions;
  /** Whether the model has the context tools. If not, its messages stay as they are. */
  readonly canActivate: boolean;
  /** Reads the session's transcript. */
  readonly transcript: () => Promise<readonly OpenClawMessage[]>;
}

/** The turn that a session makes now. */
export interface AgentTurn {
  readonly connection: Connection<OpenClawMessage>;
  /** The run of the last request. */
  run: string;
  /** Whether texts of the turn can be replaced. If not, only the messages before it are managed. */
  isWhole: boolean;
  /** Whether the texts of a request have passed again, so that those of the next run can be replaced. */
  isMended: boolean;
  /** The host's key of the last turn that it has accepted. */
  committed: string | undefined;
  /** Whether the user went back before the turn. */
  isRewound: boolean;
  /** The most tokens that the next view may have, after a compaction. */
  budget: number | undefined;
  /** Whether a request was made since the gateway started. */
  readonly isBegun: boolean;
  /** The view of the last request, with its options. */
  readonly sent: { readonly view: View; readonly options: ViewOptions } | undefined;
  /** Returns a history of the host in which joined messages are separate. Never rejects. */
  separate(
    history: readonly OpenClawMessage[],
    transcript: TurnRequest["transcript"],
  ): Promise<readonly OpenClawMessage[]>;
  /** Returns the messages before the turn for a request; undefined: the host's own. Never rejects. */
  request(request: TurnRequest): Promise<readonly OpenClawMessage[] | undefined>;
  /** Ingests what was written after the last request. Never rejects. */
  ends(turn: readonly OpenClawMessage[]): Promise<void>;
  /** Returns the call's own id, by the id that the host uses in this turn. */
  callId(hostId: string): string;
  /** An answer was written, whose calls come next. */
  answered(message: OpenClawMessage): void;
}

export function agentTurn(connection: Connection<OpenClawMessage>, swaps: TextSwaps): AgentTurn {
  let callIds: ReadonlyMap<string, string> = new Map();
  let sent: AgentTurn["sent"];
  /** The messages before the turn, as its first request had them. */
  let history: readonly OpenClawMessage[] | undefined;
  let split: SplitMessages = { messages: [], joined: (messages) => messages };
  /** The turn and the history that was split. */
  let splitOf = "";
  /** Whether the session has had a request in this process. */
  let isBegun = false;
  /** The host's messages before the turn. */
  let originals: readonly OpenClawMessage[] | undefined;

  const turn: AgentTurn = {
    connection,
    run: "",
    isWhole: true,
    isMended: false,
    committed: undefined,
    isRewound: false,
    budget: undefined,
    get isBegun() {
      return isBegun;
    },
    get sent() {
      return sent;
    },
    async separate(list, transcript) {
      // The host gives the same history for all requests of a turn, until it tries the turn again.
      const name = JSON.stringify([turn.run, list.length, list.at(-1)?.["timestamp"]]);
      if (name !== splitOf) split = await splitMessages(list, transcript);
      splitOf = name;
      return split.messages;
    },
    async request({ earlier: given, turn: pending, options, canActivate, transcript }) {
      const earlier = isBegun ? given : await earlierMessages(given, connection, transcript);
      isBegun = true;
      const { messages, hostIds } = withOwnCallIds([...earlier, ...pending]);
      callIds = new Map([...hostIds].map(([own, host]) => [host, own]));
      originals = earlier;
      const isFirst = pending.length < 2;
      const recordOnly = !canActivate || (!turn.isWhole && !isFirst);
      const limits = limited(options, isFirst);
      const signals = turn.isRewound ? { rewound: true } : {};
      const call = await connection.modelCall({ messages, ...limits, ...signals, recordOnly });
      sent = call?.view === undefined ? undefined : { view: call.view, options: limits };
      if (call === undefined) return recordOnly && canActivate ? unchanged(pending) : undefined;
      turn.isRewound = false;
      turn.budget = undefined;
      const made = turnView(call.messages, call.list.messages, earlier.length);
      if (turn.isWhole) swaps.expect(turn.run, made.swaps);
      history = split.joined(withHostCallIds(made.history));
      return turn.isWhole ? history : unchanged(pending);
    },
    async ends(written) {
      if (originals === undefined || written.length === 0) return;
      const { messages } = withOwnCallIds([...originals, ...written]);
      originals = undefined;
      await connection.ingest(messages);
    },
    callId: (hostId) => callIds.get(hostId) ?? hostId,
    answered(message) {
      const usage = usageOf(message);
      if (usage !== undefined) connection.answered(usage);
      const { hostIds } = withOwnCallIds([message]);
      callIds = new Map([...callIds, ...[...hostIds].map(([own, host]) => [host, own] as const)]);
    },
  };
  return turn;

  /** Returns the messages before the turn for a request in which no text is replaced. */
  function unchanged(pending: readonly OpenClawMessage[]): readonly OpenClawMessage[] | undefined {
    if (history !== undefined) swaps.expect(turn.run, sameTexts([...history, ...pending]));
    return history;
  }

  /** Limits a view to what a compaction has left, or to the model's window. */
  function limited(options: ViewOptions, isFirst: boolean): ViewOptions {
    if (turn.budget !== undefined) return { ...options, contextWindow: turn.budget, reserve: 0 };
    if (isFirst || options.thinking !== "bound") return options;
    // The turn's thinking is bound to what was sent before it. If there is no room, OpenClaw compacts.
    const { contextWindow: _window, ...unlimited } = options;
    return unlimited;
  }
}
