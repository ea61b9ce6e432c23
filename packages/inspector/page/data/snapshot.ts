import type { SnapshotCall, SnapshotData } from "../../src/answers.ts";
import { snapshotCall } from "../../src/snapshot/snapshot-call.ts";
import { searchSnapshot } from "./snapshot-search.ts";
import { AnswerError, type DataSource } from "./source.ts";

/** The answers that are embedded in the page. */
export function snapshotSource(data: SnapshotData): DataSource {
  return {
    ask: async <Answer>(path: string): Promise<Answer> => {
      if (path.startsWith("search?")) {
        const words = new URLSearchParams(path.slice("search?".length)).get("words") ?? "";
        return searchSnapshot(data, words) as Answer;
      }
      if (!Object.hasOwn(data.answers, path))
        throw new AnswerError("NOT_FOUND", "This snapshot does not contain that page.");
      return withMessages(data, data.answers[path]) as Answer;
    },
    follow: (_after, _notice, state) => {
      state("still");
      return () => undefined;
    },
  };
}

/** Puts the messages that the snapshot keeps once into the answer for a call. */
function withMessages(data: SnapshotData, answer: unknown): unknown {
  return isCall(answer) ? snapshotCall(data, answer) : answer;
}

function isCall(answer: unknown): answer is SnapshotCall {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "systemPrompts" in answer &&
    "messages" in answer
  );
}
