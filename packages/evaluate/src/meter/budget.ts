/** The dollars of an evaluation. They limit which calls start. */
export interface Budget {
  /** Dollars of all calls that have ended. */
  readonly spent: number;
  readonly isSpent: boolean;
  /**
   * Waits until a call that costs at most `bound` dollars may start. Resolves with undefined if the budget is spent or
   * the signal is aborted.
   */
  reserve(bound: number, signal: AbortSignal): Promise<Reservation | undefined>;
}

/** A call that may start. */
export interface Reservation {
  /** Ends the call with its real cost. Later calls of this function do nothing. */
  settle(dollars: number): void;
}

export interface BudgetOptions {
  /** Dollars. Absent: there is no limit. */
  readonly limit?: number | undefined;
  /** Dollars that were spent before. Default: 0. */
  readonly spent?: number | undefined;
}

interface Waiting {
  readonly bound: number;
  readonly resolve: (reservation: Reservation | undefined) => void;
}

/**
 * Opens the account of an evaluation. Calls start in order of arrival. A call starts at once if the budget is enough
 * for it and for all calls in flight, even if each of them costs its bound. Otherwise it waits until no other call is in
 * flight, and starts alone. So the budget is exceeded by at most one call.
 */
export function budgetAccount({ limit = Infinity, spent: before = 0 }: BudgetOptions): Budget {
  let spent = before;
  let reserved = 0;
  let inFlight = 0;
  const queue: Waiting[] = [];

  const isSpent = (): boolean => spent >= limit;

  const start = (bound: number): Reservation => {
    let isOpen = true;
    reserved += bound;
    inFlight += 1;
    return {
      settle: (dollars) => {
        if (!isOpen) return;
        isOpen = false;
        inFlight -= 1;
        // With no call in flight the sum is 0; a subtraction leaves a rounding error.
        reserved = inFlight === 0 ? 0 : reserved - bound;
        spent += dollars;
        admit();
      },
    };
  };

  const admit = (): void => {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      const fits = spent + reserved + first.bound <= limit;
      if (!isSpent() && !fits && inFlight > 0) return;
      queue.shift();
      first.resolve(isSpent() ? undefined : start(first.bound));
    }
  };

  return {
    get spent() {
      return spent;
    },
    get isSpent() {
      return isSpent();
    },
    reserve: async (bound, signal) => {
      if (signal.aborted) return undefined;
      const { promise, resolve } = Promise.withResolvers<Reservation | undefined>();
      const waiting: Waiting = { bound, resolve };
      const leave = (): void => {
        const place = queue.indexOf(waiting);
        if (place < 0) return;
        queue.splice(place, 1);
        resolve(undefined);
        admit();
      };
      signal.addEventListener("abort", leave);
      queue.push(waiting);
      admit();
      return promise.finally(() => signal.removeEventListener("abort", leave));
    },
  };
}
