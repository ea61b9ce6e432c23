import type { HostClock } from "@self-context-manager/core/host";

/** The time of the process, without a module of Node: the SDK also runs elsewhere. */
export const clock: HostClock = {
  now: () => Date.now(),
  wait: async (milliseconds) =>
    await new Promise<void>((resolve) => {
      const timer: { unref?(): unknown } | number = setTimeout(resolve, milliseconds);
      // A timer of Node would keep the process alive.
      if (typeof timer === "object") timer.unref?.();
    }),
};
