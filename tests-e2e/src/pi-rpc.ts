import { createInterface } from "node:readline";

import { openPiProcess, sessionArguments } from "./pi-process.ts";
import type { PiExit, PiLaunchOptions } from "./pi-process.ts";

export interface PiRpcOptions extends PiLaunchOptions {
  /** The time limit of one command or one run, in milliseconds. */
  readonly stepDeadlineMs?: number;
}

/** A line that Pi wrote: an event, a request to the user interface, or a response. */
export interface PiRpcLine {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface PiRpcImage {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface PiRpc extends AsyncDisposable {
  /** All lines up to now except the responses. */
  readonly events: readonly PiRpcLine[];
  /** Sends one command and resolves with its response. Rejects if Pi reports a failure. */
  send(command: { readonly type: string; readonly [key: string]: unknown }): Promise<PiRpcLine>;
  /** Sends a prompt or a `/command`. Resolves when Pi is at rest. */
  prompt(message: string, options?: { readonly images?: readonly PiRpcImage[] }): Promise<void>;
  /** Resolves with the first event, from the given position on, that the test accepts. */
  event(accepts: (line: PiRpcLine) => boolean, options?: { from?: number }): Promise<PiRpcLine>;
  /** Resolves when no run and no compaction is in progress. */
  rest(): Promise<void>;
  /** Ends the process the way a client does, by closing its input. */
  close(): Promise<PiExit>;
  /** Ends the process and its child processes at once, without a shutdown (`kill -9`). */
  kill(): Promise<void>;
}

/** Starts `pi --mode rpc` and speaks its protocol. */
export const openPiRpc = async (options: PiRpcOptions): Promise<PiRpc> => {
  const { stepDeadlineMs = 30_000, pi } = options;
  const process = openPiProcess({
    deadlineMs: 180_000,
    ...options,
    commandLine: [...sessionArguments(options), "--mode", "rpc"],
  });
  const events: PiRpcLine[] = [];
  const watchers = new Set<() => void>();
  const responses = new Map<string, PiRpcLine>();
  let ended = false;
  let sent = 0;

  const wake = (): void => {
    for (const watcher of watchers) {
      watcher();
    }
  };
  createInterface({ input: process.child.stdout, crlfDelay: Infinity }).on("line", (text) => {
    const line = rpcLine(text);
    if (line?.type === "response" && typeof line["id"] === "string") {
      responses.set(line["id"], line);
    } else if (line !== undefined) {
      events.push(line);
    }
    wake();
  });
  process.child.once("close", () => {
    ended = true;
    wake();
  });

  const until = async <T>(what: string, look: () => T | undefined): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const watcher = (): void => {
      const found = look();
      if (found !== undefined) {
        resolve(found);
      } else if (ended) {
        reject(
          new Error(`Pi ${pi.version} ended before ${what}: ${process.stderr().slice(-2_000)}`),
        );
      }
    };
    const timer = setTimeout(() => {
      reject(new Error(`Pi ${pi.version} gave no ${what} in ${stepDeadlineMs} ms`));
    }, stepDeadlineMs);
    watchers.add(watcher);
    watcher();
    return promise.finally(() => {
      clearTimeout(timer);
      watchers.delete(watcher);
    });
  };

  const send: PiRpc["send"] = async (command) => {
    sent += 1;
    const id = `command-${sent}`;
    process.child.stdin.write(`${JSON.stringify({ ...command, id })}\n`);
    const response = await until(`response to ${command.type}`, () => responses.get(id));
    if (response["success"] !== true) {
      throw new Error(`Pi ${pi.version} refused ${command.type}: ${String(response["error"])}`);
    }
    return response;
  };
  const event: PiRpc["event"] = async (accepts, { from = 0 } = {}) =>
    until("awaited event", () => events.slice(from).find(accepts));

  const rest: PiRpc["rest"] = async () => {
    for (;;) {
      const seen = events.length;
      const { data } = await send({ type: "get_state" });
      if (!isBusy(data) && (pi.settles || !isAboutToRetry(events))) {
        return;
      }
      await event((line) => restEvents.has(line.type), { from: seen });
    }
  };

  const rpc: PiRpc = {
    events,
    send,
    event,
    rest,
    prompt: async (message, { images = [] } = {}) => {
      const from = events.length;
      await send({ type: "prompt", message, ...(images.length === 0 ? {} : { images }) });
      await rest();
      // A `/command` starts no run. After a run, the last event follows the idle state by a few lines.
      if (pi.settles && events.slice(from).some((line) => line.type === "agent_start")) {
        await event((line) => line.type === "agent_settled", { from });
      }
    },
    close: async () => {
      process.child.stdin.end();
      return process.exited;
    },
    kill: async () => {
      process.kill();
      await process.exited;
    },
    [Symbol.asyncDispose]: async () => process[Symbol.asyncDispose](),
  };
  try {
    await send({ type: "get_state" });
  } catch (error) {
    await process[Symbol.asyncDispose]();
    throw error;
  }
  return rpc;
};

/** The events after which the state is requested again. */
const restEvents = new Set([
  "agent_start",
  "agent_end",
  "agent_settled",
  "compaction_end",
  "auto_retry_end",
]);

/**
 * Whether a retry is about to start. A release that does not settle is idle for a moment between a failure and its
 * retry.
 */
const isAboutToRetry = (events: readonly PiRpcLine[]): boolean => {
  const last = events.findLast((line) => retryEvents.has(line.type));
  return (
    last?.type === "auto_retry_start" ||
    (last?.type === "compaction_end" && last["willRetry"] === true)
  );
};

const retryEvents = new Set([
  "agent_start",
  "auto_retry_start",
  "auto_retry_end",
  "compaction_end",
]);

const isBusy = (state: unknown): boolean => {
  if (typeof state !== "object" || state === null) {
    return false;
  }
  const { isStreaming, isCompacting }: { isStreaming?: unknown; isCompacting?: unknown } = state;
  return isStreaming === true || isCompacting === true;
};

const rpcLine = (text: string): PiRpcLine | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : undefined;
  } catch {
    // Extensions may print to the same stream. A line that is not JSON does not belong to the protocol.
    return undefined;
  }
};

const isLine = (value: unknown): value is PiRpcLine =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
