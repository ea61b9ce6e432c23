import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ChangeNotice, SessionAnswer } from "../../src/answers.ts";
import { type Inspector, useInspector } from "../inspector.ts";
import { appendCalls, lastSettled } from "./append-calls.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { paths } from "./source.ts";
import { type Answered, asError } from "./answered.ts";

/** Asks for a session, and for its new calls whenever the store has news of it. */
export function useSession(id: string): Answered<SessionAnswer> {
  const inspector = useInspector();
  const [kept, keep] = useState<{
    readonly id: string;
    readonly answered: Answered<SessionAnswer>;
  }>();
  const loader = useRef<SessionLoader>(undefined);
  useEffect(() => {
    const one = sessionLoader(inspector, id, (answered) => keep({ id, answered }));
    loader.current = one;
    void one.refresh();
    return () => one.stop();
  }, [inspector, id]);
  useSignalEffect(() => {
    const change = inspector.news.value;
    if (change !== undefined && concerns(change, id)) void loader.current?.refresh();
  });
  if (kept?.id === id) return kept.answered;
  const last = inspector.lastSession;
  return last?.session.id === id ? { state: "done", value: last } : { state: "loading" };
}

/**
 * Whether a change can be one of the session. A long list may be cut, and an empty one says nothing, so each can be one of
 * any session.
 */
function concerns({ changed }: ChangeNotice, id: string): boolean {
  return (
    changed.length === 0 ||
    changed.length >= 50 ||
    changed.some((one) => one.id === id || one.type === "view")
  );
}

interface SessionLoader {
  /** Asks for what is new; a second call during the first asks once more after it. */
  refresh(): Promise<void>;
  stop(): void;
}

function sessionLoader(
  inspector: Inspector,
  id: string,
  show: (answered: Answered<SessionAnswer>) => void,
): SessionLoader {
  const stop = new AbortController();
  const load = async (): Promise<void> => {
    const known = inspector.lastSession?.session.id === id ? inspector.lastSession : undefined;
    const after = known === undefined ? 0 : lastSettled(known);
    const path = paths.session(id) + (after > 0 ? `?after=${after}` : "");
    const isSnapshot = inspector.connection.value === "still" && known !== undefined;
    const answer = isSnapshot
      ? known
      : await inspector.source.ask<SessionAnswer>(path, stop.signal);
    inspector.lastSession = after > 0 && known !== undefined ? appendCalls(known, answer) : answer;
    show({ state: "done", value: inspector.lastSession });
  };
  const refresh = oneAtATime(async () => {
    try {
      await load();
    } catch (error) {
      if (!stop.signal.aborted) show({ state: "failed", error: asError(error) });
    }
  }, stop.signal);
  return { refresh, stop: () => stop.abort() };
}
