import { type ContextSession, StoreError } from "@self-context-manager/core";
import { sessionTools } from "@self-context-manager/core/host";

/** Members that return no promise. After the disposal a call of them is harmless. */
const withoutPromise: ReadonlySet<string | symbol> = new Set<keyof ContextSession>([
  "announceTools",
  "toolFacts",
]);

/**
 * Returns one caller's access to a session that several callers share. Its disposal waits for the operations that were
 * called on it, and then calls `release` once. Afterwards its operations reject with `STORE_CLOSED`, although the session
 * may be open for others.
 */
export function sessionHandle(
  session: ContextSession,
  release: () => Promise<void>,
): ContextSession {
  const running = new Set<Promise<unknown>>();
  const holds = new Set<AsyncDisposable>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.allSettled(running);
    await Promise.allSettled([...holds].map(async (hold) => await hold[Symbol.asyncDispose]()));
    await release();
  }

  /** Holds a file for this handle, whose disposal releases it. */
  async function holdWrite(path: string): Promise<AsyncDisposable> {
    const hold = await session.holdWrite(path);
    holds.add(hold);
    return {
      async [Symbol.asyncDispose]() {
        holds.delete(hold);
        await hold[Symbol.asyncDispose]();
      },
    };
  }

  async function refuse(): Promise<never> {
    const { harness, sessionId } = session.host;
    return await Promise.reject(
      new StoreError(
        "STORE_CLOSED",
        `this handle of session ${sessionId} of ${harness} is closed; open the session again`,
      ),
    );
  }

  async function dispose(): Promise<void> {
    closing ??= close();
    await closing;
  }

  const handle: ContextSession = new Proxy(session, {
    get(target, key) {
      if (key === Symbol.asyncDispose) return dispose;
      // The tools run on this handle, so that they are refused after its disposal.
      if (key === "tools") return () => sessionTools(handle);
      const member: unknown = key === "holdWrite" ? holdWrite : Reflect.get(target, key);
      if (typeof member !== "function" || withoutPromise.has(key)) return member;
      return (...args: readonly unknown[]): unknown => {
        if (closing !== undefined) return refuse();
        const result: unknown = Reflect.apply(member, target, args);
        if (!(result instanceof Promise)) return result;
        running.add(result);
        return result.finally(() => running.delete(result));
      };
    },
  });
  return handle;
}
