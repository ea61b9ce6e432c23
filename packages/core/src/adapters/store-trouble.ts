import type { HostClock } from "../host/host-clock.ts";
import { isStoreTrouble } from "./store-failure.ts";

/** Keeps the host's calls short while the store does not work, and finds out when it works again. */
export interface StoreTrouble {
  readonly isOn: boolean;
  failed(error: unknown): void;
  /** Whether the store may be used. In trouble the store is asked, and its answer is waited for only a moment. */
  isOver(ask: () => Promise<unknown>): Promise<boolean>;
}

/**
 * Milliseconds that a call waits for the store's answer. Two hooks of a call ask. A store that takes longer, because it
 * is opened again, is used by the next call.
 */
const moment = 45;

/** Without a clock a call waits for the answer as long as it takes. */
export function storeTrouble(clock?: Pick<HostClock, "wait">): StoreTrouble {
  let isOn = false;
  /** The question that is under way. It may take longer than the call that asked it. */
  let asked: Promise<boolean> | undefined;

  async function answer(ask: () => Promise<unknown>): Promise<boolean> {
    try {
      await ask();
      isOn = false;
    } catch (error) {
      // Any other failure is met and reported by the operation itself.
      isOn = isStoreTrouble(error);
    }
    asked = undefined;
    return !isOn;
  }

  return {
    get isOn() {
      return isOn;
    },
    failed(error) {
      if (isStoreTrouble(error)) isOn = true;
    },
    async isOver(ask) {
      if (!isOn) return true;
      asked ??= answer(ask);
      return await (clock === undefined ? asked : Promise.race([asked, noAnswer(clock.wait)]));
    },
  };
}

async function noAnswer(wait: HostClock["wait"]): Promise<boolean> {
  await wait(moment);
  return false;
}
