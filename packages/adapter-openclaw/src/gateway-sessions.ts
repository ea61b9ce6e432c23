import { boundedMap, type Connections } from "@self-context-manager/core/host";

import { type AgentTurn, agentTurn } from "./agent-turn.ts";
import type { SessionEntry, SessionPlace } from "./openclaw-api.ts";
import type { OpenClawMessage } from "./openclaw-messages.ts";
import { requestCheck, type RequestCheck } from "./request-check.ts";
import { placeName, sessionIdOf } from "./session-places.ts";
import type { TextSwaps } from "./text-swaps.ts";

/** A session that the gateway has had a turn of since it was started. */
export interface ManagedSession {
  readonly id: string;
  /** The agent's working folder. */
  readonly workspace: string;
  readonly turn: AgentTurn;
  readonly check: RequestCheck;
  /** Why the turn's own messages are not managed; undefined if they are. */
  problem: string | undefined;
}

/** The sessions of a gateway by their places. */
export interface GatewaySessions {
  /**
   * Returns the session of a place. After a reset it is another one. Default of the working folder: that of the agent.
   */
  begin(place: SessionPlace, sessionId: string, workspace?: string): ManagedSession;
  /** A run makes the next requests of a session. If the texts of the last one have passed, they are replaced again. */
  runBegins(managed: ManagedSession, run: string): void;
  /**
   * A request of a place has ended. Returns the problem if it was not as its view: only the messages before the turn are
   * managed then. `bytes`: those of the request.
   */
  requestEnded(place: SessionPlace, bytes: number | undefined): string | undefined;
  /** Returns the working folder of a session that was begun. */
  workspaceOf(id: string): string;
  /** Returns the session of a place if there is one. */
  at(place: SessionPlace): ManagedSession | undefined;
  /** Returns the session of a place if there is one and managed context is on in it. */
  managedAt(place: SessionPlace): ManagedSession | undefined;
  isOn(place: SessionPlace): boolean;
  /** Switches managed context on or off in a place. Returns what the user reads. */
  switchTo(place: SessionPlace, on: boolean): string;
}

export interface GatewaySessionsOptions {
  readonly connections: Connections<OpenClawMessage>;
  readonly swaps: TextSwaps;
  readonly isOff: boolean;
  readonly entryOf: (place: SessionPlace) => SessionEntry | undefined;
  readonly workspaceOf: (agentId: string) => string;
  /** A session was closed, because another one has its place or because it was not used for long. */
  readonly onClose: (name: string) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * The number of sessions that stay open. A gateway has a session for each chat and each task, and opening one again takes
 * some milliseconds.
 */
const mostOpen = 64;

export function gatewaySessions(options: GatewaySessionsOptions): GatewaySessions {
  const { connections, swaps, isOff, entryOf, onClose, onFailure } = options;
  /** The one that was used last is at the end. */
  const sessions = boundedMap<string, ManagedSession>(mostOpen, close);
  const switched = new Map<string, boolean>();

  function close(name: string, { id, turn }: ManagedSession): void {
    sessions.delete(name);
    swaps.forget(turn.run);
    onClose(name);
    connections.close(id).catch(onFailure);
  }

  /** Manages whole turns again. */
  function mend(managed: ManagedSession): void {
    managed.problem = undefined;
    managed.turn.isWhole = true;
    managed.turn.isMended = false;
  }

  const isOn = (place: SessionPlace): boolean => switched.get(placeName(place)) ?? !isOff;
  const at = (place: SessionPlace): ManagedSession | undefined => sessions.get(placeName(place));

  return {
    begin(place, sessionId, workspace = options.workspaceOf(place.agentId)) {
      const name = placeName(place);
      const id = sessionIdOf(place, sessionId, entryOf(place));
      const known = sessions.get(name);
      if (known?.id === id) {
        sessions.set(name, known);
        return known;
      }
      if (known !== undefined) close(name, known);
      const made: ManagedSession = {
        id,
        workspace,
        turn: agentTurn(connections.of(id), swaps),
        check: requestCheck(),
        problem: undefined,
      };
      sessions.set(name, made);
      return made;
    },
    at,
    runBegins(managed, run) {
      swaps.forget(managed.turn.run);
      managed.turn.run = run;
      if (managed.turn.isMended) mend(managed);
    },
    requestEnded(place, bytes) {
      const managed = at(place);
      if (managed === undefined) return undefined;
      const { turn, check } = managed;
      const { run } = turn;
      const outcome = swaps.outcome(run);
      if (outcome === undefined) return undefined;
      turn.isMended = !turn.isWhole && outcome.isComplete;
      const problem = turn.isWhole ? check.problem({ run, outcome, bytes }) : undefined;
      if (problem === undefined) return undefined;
      turn.isWhole = false;
      managed.problem = problem;
      return problem;
    },
    workspaceOf(id) {
      const found = [...sessions.values()].find((session) => session.id === id);
      if (found === undefined) throw new Error(`the session ${id} has not been begun`);
      return found.workspace;
    },
    managedAt: (place) => (isOn(place) ? at(place) : undefined),
    isOn,
    switchTo(place, on) {
      switched.set(placeName(place), on);
      const managed = at(place);
      if (managed !== undefined && on) mend(managed);
      return on
        ? "Managed context is on."
        : "Managed context is off; OpenClaw's own messages are sent unchanged.";
    },
  };
}
