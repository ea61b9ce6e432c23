import type { CallAnswer, SnapshotData } from "../../answers.ts";
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

/** Puts the embedded messages into the answer for a call. */
function withMessages(data: SnapshotData, answer: unknown): unknown {
  if (!isCall(answer)) return answer;
  const messages = answer.messages.map((message) => {
    const json = message.json ?? data.messages[message.hash];
    return json === undefined ? message : { ...message, json };
  });
  return { ...answer, messages };
}

function isCall(answer: unknown): answer is CallAnswer {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "systemPrompts" in answer &&
    "messages" in answer
  );
}
