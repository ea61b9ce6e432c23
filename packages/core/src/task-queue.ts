/** Runs tasks one after another, in the order in which they were asked for, whatever becomes of each. */
export type TaskQueue = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** A new queue with nothing in it. */
export function taskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return async (task) => {
    const turn = last.then(task, task);
    // The failure is the caller's to see; the queue only waits for its end.
    last = turn.catch(() => undefined);
    return await turn;
  };
}
