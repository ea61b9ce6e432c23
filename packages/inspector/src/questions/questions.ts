import { isObjectId, type ObjectId } from "@self-context-manager/objects";

import type { InspectedStore } from "../inspected-store.ts";
import { callAnswer } from "./call-question.ts";
import { damageAnswer } from "./damage-question.ts";
import { graphAnswer } from "./graph-question.ts";
import { inViewOf } from "./in-view.ts";
import { objectAnswer } from "./object-question.ts";
import { QuestionError } from "./question-error.ts";
import { type Namer, openReading, type Reading } from "./reading.ts";
import { searchQuestion } from "./search-question.ts";
import { sessionAnswer } from "./session-question.ts";
import { type SessionRows, sessionsAnswer } from "./sessions-question.ts";
import { positions, storeAnswer } from "./store-question.ts";
import { versionAnswer } from "./version-question.ts";

/** The questions of the page about one store. `answers.ts` lists their paths and answers. */
export interface Questions {
  readonly reading: Reading;
  /**
   * Answers a question. Rejects with `QuestionError`, or with the error of the store. A long reading ends when the signal
   * says that nobody waits for the answer.
   */
  ask(
    path: readonly string[],
    parameters?: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<unknown>;
  /** Returns the position after the newest version. */
  position(): Promise<string>;
}

/** Opens the questions about a store. */
export function openQuestions(inspected: InspectedStore, name?: Namer): Questions {
  const reading = openReading(inspected, name);
  const rows: SessionRows = new Map();
  const followed = positions(reading);
  const search = searchQuestion(reading, followed);

  async function ask(
    path: readonly string[],
    parameters: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const [kind = "", given, part, number] = path;
    if (given === undefined) {
      if (kind === "store") return await storeAnswer(reading, followed);
      if (kind === "sessions")
        return await sessionsAnswer(reading, rows, numberOf(parameters.get("limit")));
      if (kind === "search") return await search(parameters.get("words") ?? "");
      throw unknown();
    }
    const id = idOf(given);
    switch (`${kind}/${part ?? ""}/${path.length}`) {
      case "sessions//2":
        return await sessionAnswer(reading, rows, id, numberOf(parameters.get("after")));
      case "sessions/calls/4":
        return await callAnswer(reading, id, placeOf(number));
      case "sessions/damage/3":
        return await damageAnswer(reading, id, signal);
      case "objects//2":
        return await objectAnswer(
          reading,
          id,
          async () => await inViewOf(reading, id, sessionOf(parameters.get("session"))),
        );
      case "objects/versions/4":
        return await versionAnswer(reading, id, placeOf(number));
      case "objects/graph/3":
        return await graphAnswer(reading, id);
      default:
        throw unknown();
    }
  }

  return {
    reading,
    ask: async (path, parameters = new URLSearchParams(), signal) =>
      await ask(path, parameters, signal),
    position: async () => await followed.newest(),
  };
}

function unknown(): QuestionError {
  return new QuestionError("NOT_FOUND", "There is no such question.");
}

function idOf(given: string): ObjectId {
  if (isObjectId(given)) return given;
  throw new QuestionError("NOT_FOUND", "This cannot be the id of an object.");
}

function sessionOf(given: string | null): ObjectId | undefined {
  return given === null ? undefined : idOf(given);
}

/** The number of a call or a version, from 1. */
function placeOf(given: string | undefined): number {
  if (given !== undefined && /^[1-9]\d{0,14}$/u.test(given)) return Number(given);
  throw new QuestionError("BAD_QUESTION", "The number must be a whole number above 0.");
}

function numberOf(given: string | null): number | undefined {
  if (given === null) return undefined;
  if (/^\d{1,15}$/u.test(given)) return Number(given);
  throw new QuestionError("BAD_QUESTION", "The number must be a whole number from 0.");
}
