import { Worker } from "node:worker_threads";

import { placesIn } from "./places-in.ts";

/** Looks for a regular expression in a thread of its own, which can be ended at any time. */
export interface PatternWorker extends AsyncDisposable {
  /**
   * Calls `onPlace` with each place of `placesIn`, at most `limit` times for all texts. Returns false if the worker was
   * ended before all texts were read. Rejects if the worker cannot be started, or fails.
   */
  read(texts: readonly string[], limit: number, onPlace: OnPlace): Promise<boolean>;
  end(): void;
}

/** Gets the number of a text, and a place in it. */
export type OnPlace = (text: number, place: number) => void;

type Message =
  | { readonly text: number; readonly place: number }
  | { readonly isRead: true }
  | { readonly problem: string };

/** It is a text and not a file, because the bundle of an adapter is one file. Places are sent one by one. */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const placesIn = ${placesIn.toString()};
parentPort.on("message", ({ texts, limit }) => {
  let left = limit;
  try {
    for (const [text, content] of texts.entries()) {
      for (const place of placesIn(content, workerData, left)) {
        parentPort.postMessage({ text, place });
        left -= 1;
      }
    }
    parentPort.postMessage({ isRead: true });
  } catch (error) {
    parentPort.postMessage({ problem: String(error) });
  }
});
`;

/** The texts that are being read. */
interface Reading {
  readonly onPlace: OnPlace;
  readonly resolve: (isRead: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export function patternWorker(expression: RegExp): PatternWorker {
  const worker = started(expression);
  let reading: Reading | undefined;
  let failure: Error | undefined;
  let hasEnded = false;
  worker.on("message", (message: Message) => {
    if ("place" in message) reading?.onPlace(message.text, message.place);
    else if ("isRead" in message) reading?.resolve(true);
    else reading?.reject(new Error(`the regular expression fails on a text: ${message.problem}`));
  });
  worker.on("error", (error) => {
    failure = cannotRun(error);
    reading?.reject(failure);
  });
  worker.on("exit", () => {
    hasEnded = true;
    reading?.resolve(false);
  });

  return {
    async read(texts, limit, onPlace) {
      if (failure !== undefined) throw failure;
      if (hasEnded) return false;
      return await new Promise<boolean>((resolve, reject) => {
        reading = { onPlace, resolve, reject };
        // oxlint-disable-next-line unicorn/require-post-message-target-origin
        worker.postMessage({ texts, limit });
      });
    },

    end() {
      void worker.terminate();
    },

    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

function started(expression: RegExp): Worker {
  try {
    // Options of the process, such as loaders or the type of its input, are not for this program.
    return new Worker(program, { eval: true, workerData: expression, execArgv: [] });
  } catch (error) {
    throw cannotRun(error);
  }
}

function cannotRun(error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`the regular expression cannot be run in a worker thread: ${reason}`, {
    cause: error,
  });
}
