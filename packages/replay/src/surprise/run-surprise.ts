import { messageOf } from "@self-context-manager/objects";

import { readSession } from "../read/read-session.ts";
import type { RecordedSession } from "../read/recorded-session.ts";
import { measureCalls, type MeasureProgress } from "./measure-surprise.ts";
import { openResults } from "./result-file.ts";
import { sampleCalls } from "./sample-calls.ts";
import type { SurpriseModel } from "./surprise-model.ts";
import { type SurpriseReport, surpriseReport } from "./surprise-report.ts";
import { type SurpriseView, usualViews } from "./surprise-views.ts";

export interface SurpriseOptions {
  /** The number of calls to measure; default: 200. */
  readonly calls?: number;
  /** Determines the calls and the intervals; default: 1. */
  readonly seed?: number;
  /** The views to compare with the plain one; default: `usualViews`. Something must have left the first of them. */
  readonly views?: readonly SurpriseView[];
  /** The fewest tokens of the plain view that the first view must lack; default: 500. */
  readonly leastLeft?: number;
  /** The sizes of the plain views of interest, in tokens as the replay counts them; default: 0 to the model's window. */
  readonly least?: number;
  readonly most?: number;
  /** A file of results that is read and continued. */
  readonly resultsPath?: string;
  readonly onProgress?: (progress: MeasureProgress) => void;
  /** Notes a file that cannot be read. */
  readonly onUnreadable?: (file: string, reason: string) => void;
  readonly signal?: AbortSignal;
}

/** Samples calls of recorded sessions and measures how surprising their answers are under several views. */
export async function runSurprise(
  files: readonly string[],
  model: SurpriseModel,
  options: SurpriseOptions = {},
): Promise<SurpriseReport> {
  const { seed = 1, views = usualViews, leastLeft = 500, calls: wanted = 200 } = options;
  const { least = 0, most = model.window, resultsPath, onUnreadable } = options;
  const results = await openResults(resultsPath);
  const sessions = readAll(files, onUnreadable);
  const { calls: sample, counts } = await sampleCalls(sessions, {
    views,
    least,
    most: Math.min(most, model.window),
    leastLeft,
    seed,
  });
  const { calls, tooLong } = await measureCalls(model, sample, results, {
    ...options,
    calls: wanted,
  });
  return surpriseReport(calls, {
    model: model.name,
    window: model.window,
    seed,
    recorded: { ...counts, tooLong: counts.tooLong + tooLong },
    isComplete: calls.length >= wanted,
  });
}

async function* readAll(
  files: readonly string[],
  onUnreadable: SurpriseOptions["onUnreadable"],
): AsyncGenerator<RecordedSession, void, undefined> {
  for (const file of files) {
    let session: RecordedSession;
    try {
      session = await readSession(file);
    } catch (error) {
      // One file that cannot be read must not end the others.
      onUnreadable?.(file, messageOf(error));
      continue;
    }
    yield session;
  }
}
