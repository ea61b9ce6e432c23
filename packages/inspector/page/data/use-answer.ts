import { useEffect, useState } from "preact/hooks";
import { useInspector } from "../inspector.ts";
import { type Answered, asError } from "./answered.ts";

/** Asks a question when the path or `again` changes. With `again` the old answer stays until the new one is there. */
export function useAnswer<Answer>(path: string, again: unknown = ""): Answered<Answer> {
  const { source } = useInspector();
  const [kept, keep] = useState<{ readonly path: string; readonly answered: Answered<Answer> }>();
  useEffect(() => {
    const stop = new AbortController();
    source.ask<Answer>(path, stop.signal).then(
      (value) => keep({ path, answered: { state: "done", value } }),
      (error: unknown) => {
        if (!stop.signal.aborted)
          keep({ path, answered: { state: "failed", error: asError(error) } });
      },
    );
    return () => stop.abort();
  }, [source, path, again]);
  return kept?.path === path ? kept.answered : { state: "loading" };
}
