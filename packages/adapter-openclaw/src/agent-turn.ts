import type { View, ViewOptions } from "@self-context-manager/core";
import type { Connection } from "@self-context-manager/core/host";

import { withHostCallIds, withOwnCallIds } from "./call-ids.ts";
import type { OpenClawMessage } from "./openclaw-messages.ts";
import type { TextSwaps } from "./text-swaps.ts";
import { turnView } from "./turn-view.ts";

/** A request of OpenClaw's loop. */
export interface TurnRequest {
  /** The messages before the turn. */
  readonly earlier: readonly OpenClawMessage[];
  /** The messages of the turn, which the host appends by itself. */
  readonly turn: readonly OpenClawMessage[];
  readonly options: ViewOptions;
  /** Whether the model has the context tools. If not, its messages stay as they are. */
  readonly canActivate: boolean;
}

/** The turn that a session makes now. */
export interface AgentTurn {
  readonly connection: Connection<OpenClawMessage>;
  /** The run of the last request. */
  run: string;
  /** Whether texts of the turn can be replaced. If not, only the messages before it are managed. */
  isWhole: boolean;
  /** Returns the messages before the turn for a request; undefined: the host's own. Never rejects. */
  request(request: TurnRequest): Promise<readonly OpenClawMessage[] | undefined>;
  /** Returns the call's own id, by the id that the host uses in this turn. */
  callId(hostId: string): string;
  /** An answer was written, whose calls come next. */
  answered(message: OpenClawMessage): void;
  /** The view of the last request, with its options. */
  readonly sent: { readonly view: View; readonly options: ViewOptions } | undefined;
  /** The most tokens that the next view may have, after a compaction. */
  budget: number | undefined;
}

export function agentTurn(connection: Connection<OpenClawMessage>, swaps: TextSwaps): AgentTurn {
  let callIds: ReadonlyMap<string, string> = new Map();
  let sent: AgentTurn["sent"];
  /** The messages before the turn, as its first request had them. */
  let history: readonly OpenClawMessage[] | undefined;

  const turn: AgentTurn = {
    connection,
    run: "",
    isWhole: true,
    budget: undefined,
    get sent() {
      return sent;
    },
    async request({ earlier, turn: pending, options, canActivate }) {
      const { messages, hostIds } = withOwnCallIds([...earlier, ...pending]);
      callIds = new Map([...hostIds].map(([own, host]) => [host, own]));
      const isFirst = pending.length < 2;
      const isRecorded = !canActivate || (!turn.isWhole && !isFirst);
      const limit = turn.budget === undefined ? {} : { contextWindow: turn.budget, reserve: 0 };
      const given = { ...options, ...limit };
      const call = await connection.modelCall({
        messages,
        ...given,
        recordOnly: isRecorded,
      });
      sent = call?.view === undefined ? undefined : { view: call.view, options: given };
      if (call === undefined) return isRecorded && canActivate ? history : undefined;
      turn.budget = undefined;
      const made = turnView(
        call.messages,
        messages.slice(0, earlier.length),
        messages.slice(earlier.length),
      );
      if (turn.isWhole) swaps.expect(turn.run, made.swaps);
      history = withHostCallIds(made.history, hostIds);
      return history;
    },
    callId: (hostId) => callIds.get(hostId) ?? hostId,
    answered(message) {
      const { hostIds } = withOwnCallIds([message]);
      callIds = new Map([
        ...callIds,
        ...[...hostIds].map(([own, host]) => [host, own] as const),
      ]);
    },
  };
  return turn;
}
