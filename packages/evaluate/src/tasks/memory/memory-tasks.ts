import type { Task } from "../../model/task.ts";
import { changedLimit } from "./changed-limit.ts";
import { foundByWords } from "./found-by-words.ts";
import { handover } from "./handover.ts";
import { labSettings } from "./lab-settings.ts";
import { linkedNotes } from "./linked-notes.ts";
import { spokenDecisions } from "./spoken-decisions.ts";

/** The tasks over three sessions, made from a seed. */
export function memoryTasks(seed: number): readonly Task[] {
  return [
    labSettings(seed),
    linkedNotes(seed),
    changedLimit(seed),
    foundByWords(seed),
    spokenDecisions(seed),
    handover(seed),
  ];
}
