import { useEffect, useRef, useState } from "preact/hooks";
import { useInspector } from "../inspector.ts";
import { type Answered, asError } from "./answered.ts";
import { oneAtATime } from "./one-at-a-time.ts";

/**
 * Asks a question when the path or `again` changes; without a path nothing is asked. With `again` the old answer stays
 * until the new one is there.
 */
export function useAnswer<Answer>(path: string | undefined, again: unknown = ""): Answered<Answer> {
  const { source } = useInspector();
  const [kept, keep] = useState<{ readonly path: string; readonly answered: Answered<Answer> }>();
  const ask = useRef<() => Promise<void>>(undefined);
  useEffect(() => {
    ask.current = undefined;
    if (path === undefined) return undefined;
    const stop = new AbortController();
    ask.current = oneAtATime(async () => {
      try {
        const value = await source.ask<Answer>(path, stop.signal);
        keep({ path, answered: { state: "done", value } });
      } catch (error) {
        if (!stop.signal.aborted)
          keep({ path, answered: { state: "failed", error: asError(error) } });
      }
    }, stop.signal);
    return () => stop.abort();
  }, [source, path]);
  useEffect(() => void ask.current?.(), [source, path, again]);
  return kept !== undefined && kept.path === path ? kept.answered : { state: "loading" };
}
