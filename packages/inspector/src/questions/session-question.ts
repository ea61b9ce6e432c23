import type { ObjectId } from "@self-context-manager/objects";

import type { SessionAnswer } from "../answers.ts";
import { QuestionError } from "./question-error.ts";
import type { Reading } from "./reading.ts";
import { sessionRow, type SessionRows } from "./sessions-question.ts";

/** A session with its timeline; `after`: only the calls after this one. */
export async function sessionAnswer(
  reading: Reading,
  known: SessionRows,
  id: ObjectId,
  after?: number,
): Promise<SessionAnswer> {
  const { session } = await reading.history(id);
  const timeline =
    after === undefined ? await reading.timeline(id) : await reading.timelines.read(id, { after });
  if (timeline === undefined)
    throw new QuestionError("NOT_FOUND", "The store has no such session.");
  return { session: await sessionRow(reading, known, session), timeline };
}
