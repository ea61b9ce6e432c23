/** Calls that follow each other without a gap. */
export interface CallRun {
  readonly from: number;
  readonly to: number;
}

/** Puts calls in ascending order into runs. */
export function callRuns(calls: readonly number[]): readonly CallRun[] {
  const runs: { from: number; to: number }[] = [];
  for (const call of calls) {
    const last = runs.at(-1);
    if (last?.to === call - 1) last.to = call;
    else runs.push({ from: call, to: call });
  }
  return runs;
}
