import type { ObjectAnswer, SnapshotCall, SnapshotData } from "../../src/answers.ts";
import { snapshotCall } from "../../src/snapshot/snapshot-call.ts";
import { snapshotDamage } from "./snapshot-damage.ts";
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
      const [, session] = /^(sessions\/[^/]+)\/damage$/u.exec(path) ?? [];
      if (session !== undefined && Object.hasOwn(data.answers, session))
        return snapshotDamage(data, session) as Answer;
      if (!Object.hasOwn(data.answers, path))
        throw new AnswerError("NOT_FOUND", "This snapshot does not contain that page.");
      const answer = data.answers[path];
      return (
        isObjectPath(path)
          ? withIncluded(data, path, answer as ObjectAnswer)
          : withMessages(data, answer)
      ) as Answer;
    },
    follow: (_after, _notice, state) => {
      state("still");
      return () => undefined;
    },
  };
}

/** Whether a path is that of an object, and not of its graph or of one of its versions. */
function isObjectPath(path: string): boolean {
  return /^objects\/[^/]+$/u.test(path);
}

/** Adds which versions of an object the snapshot has. */
function withIncluded(data: SnapshotData, path: string, answer: ObjectAnswer): ObjectAnswer {
  const included = answer.versions
    .map(({ version }) => version)
    .filter((version) => Object.hasOwn(data.answers, `${path}/versions/${version}`));
  return { ...answer, included };
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
