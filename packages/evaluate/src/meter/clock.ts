/** The time as the meter sees it. Tests give one that does not wait. */
export interface MeterClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after this time, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const systemClock: MeterClock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal.aborted) return Promise.resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds).unref();
    signal.addEventListener("abort", end);
    return promise;
  },
};
