/** The time in which at least one call of a run waits. */
export interface WaitTime {
  readonly ms: number;
  begin(): void;
  end(): void;
}

/** Measures waits. Two calls that wait at the same time are counted once. */
export function waitTime(now: () => number): WaitTime {
  let total = 0;
  let waiting = 0;
  let since = 0;
  return {
    get ms() {
      return waiting === 0 ? total : total + now() - since;
    },
    begin: () => {
      if (waiting === 0) since = now();
      waiting += 1;
    },
    end: () => {
      waiting -= 1;
      if (waiting === 0) total += now() - since;
    },
  };
}
