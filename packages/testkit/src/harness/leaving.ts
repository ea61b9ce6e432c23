import assert from "node:assert/strict";

import type { HarnessHost } from "./harness-host.ts";
import { last, shownWords } from "./request-checks.ts";
import { contextCall, crowdNames, longName, type ScriptedStep, type Stage } from "./stage.ts";

/** The greatest number of turns in which an epoch ends after a long content became dead. */
const mostTurns = 12;

/**
 * Has an epoch end. The other settings remove dead content with the next call, and nothing is said there. With the
 * defaults dead content leaves when carrying it costs more than leaving it out, so the model reads a long file and
 * deactivates it, and turns follow until its words have left the view.
 */
export async function endEpoch({ host, say }: Stage): Promise<void> {
  if (host.settings !== "defaults") return;
  const before = host.requests.length;
  await say("read much", [
    { [`long_${before}`]: host.calls.read(`${longName}.txt`) },
    { [`off_${before}`]: contextCall("deactivate", `${longName}.txt`) },
  ]);
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const request = last(await say(`turn ${turn} after ${before}`));
    if (shownWords(request, [longName]).length === 0) return;
  }
  assert.fail(`a long deactivated content is shown after ${mostTurns} turns`);
}

/** Returns a step that shows so many files that the policy makes what was shown before inactive. */
export function crowd(host: HarnessHost): ScriptedStep {
  const before = host.requests.length;
  return Object.fromEntries(
    crowdNames.map((name) => [`show_${name}_${before}`, host.calls.show(`${name}.txt`)]),
  );
}
