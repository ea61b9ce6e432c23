import { factSeen } from "../meter/fact-seen.ts";
import type { FactSeen } from "../model/run-record.ts";
import type { Task } from "../model/task.ts";
import type { SeenCall } from "./used-texts.ts";

/** Returns for each fact, at each prompt that needs it, whether the requests of this turn had its right value. */
export function factsSeen(task: Task, calls: readonly SeenCall[]): readonly FactSeen[] {
  return task.facts.flatMap((fact) =>
    fact.neededAt.map((step) => {
      const found = calls
        .filter((call) => call.step === step)
        .map(({ request }) => factSeen(request, fact));
      const right = found.indexOf("right");
      const seen = right === 0 ? "at-once" : right > 0 ? "later" : "never";
      return { fact: fact.id, step, seen, isStale: right < 0 && found.includes("stale") };
    }),
  );
}
