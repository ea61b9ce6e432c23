import { StoreError } from "@self-context-manager/core";

import { setTimeout as delay } from "node:timers/promises";

/** Keeps the host's calls short while the store does not work, and finds out when it works again. */
export interface StoreTrouble {
  readonly isOn: boolean;
  /** Records a failure and the milliseconds that it took. */
  failed(error: unknown, milliseconds: number): void;
  /** Whether the store may be used. In trouble the store is asked, and its answer is waited for only a moment. */
  isOver(ask: () => Promise<unknown>): Promise<boolean>;
}

/** Milliseconds that a call waits for the answer of a store that was slow to fail. A call asks twice at most. */
const moment = 45;

/** Milliseconds for a store that failed at once: opening it again can take longer than a moment. */
const longMoment = 1_000;

export function storeTrouble(now: () => number = () => performance.now()): StoreTrouble {
  let isOn = false;
  let isSlow = false;
  /** The question that is under way. It may take longer than the call that asked it. */
  let asked: Promise<boolean> | undefined;

  async function answer(ask: () => Promise<unknown>): Promise<boolean> {
    const start = now();
    try {
      await ask();
      isOn = false;
    } catch (error) {
      // Any other failure is met and reported by the operation itself.
      isOn = isStoreTrouble(error);
    }
    isSlow = now() - start > moment;
    asked = undefined;
    return !isOn;
  }

  return {
    get isOn() {
      return isOn;
    },
    failed(error, milliseconds) {
      if (!isStoreTrouble(error)) return;
      isOn = true;
      isSlow = milliseconds > moment;
    },
    async isOver(ask) {
      if (!isOn) return true;
      asked ??= answer(ask);
      const limit = isSlow ? moment : longMoment;
      return await Promise.race([asked, delay(limit, false, { ref: false })]);
    },
  };
}

/** Whether an error means that the store cannot be used for now, and may be again without a change of the settings. */
export function isStoreTrouble(error: unknown): boolean {
  return StoreError.is(error, "STORE_BUSY") || StoreError.is(error, "STORE_UNAVAILABLE");
}
