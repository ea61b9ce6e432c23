import type { ContextManager } from "@self-context-manager/compose";

interface Held {
  readonly manager: Promise<ContextManager>;
  uses: number;
}

/** The context managers that are in use, one for each user. */
export interface SharedManagers {
  /** Runs work with the user's manager. It is opened for the first work of the user, and closed after the last one. */
  use<Result>(user: string, work: (manager: ContextManager) => Promise<Result>): Promise<Result>;
}

export function sharedManagers(open: (user: string) => Promise<ContextManager>): SharedManagers {
  const held = new Map<string, Held>();
  /** The ends of managers that are being closed. A user's next manager is opened behind them. */
  const closing = new Map<string, Promise<void>>();

  async function begin(user: string): Promise<ContextManager> {
    // An error of the close has reached the work that ended with it.
    await closing.get(user)?.catch(() => undefined);
    return await open(user);
  }

  async function close({ manager }: Held): Promise<void> {
    // A manager that could not be opened has nothing to close, and its error has reached the work.
    const opened = await manager.catch(() => undefined);
    await opened?.[Symbol.asyncDispose]();
  }

  return {
    async use(user, work) {
      const one = held.get(user) ?? { manager: begin(user), uses: 0 };
      held.set(user, one);
      one.uses += 1;
      try {
        return await work(await one.manager);
      } finally {
        one.uses -= 1;
        if (one.uses === 0) {
          held.delete(user);
          const end = close(one);
          closing.set(user, end);
          try {
            await end;
          } finally {
            if (closing.get(user) === end) closing.delete(user);
          }
        }
      }
    },
  };
}
