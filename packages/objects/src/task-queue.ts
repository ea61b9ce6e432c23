/** Runs tasks one after another in the order of their requests. A failed task does not stop the next one. */
type TaskQueue = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Returns an empty queue. */
export function taskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return async (task) => {
    const turn = last.then(task, task);
    // The caller handles the failure. The queue only waits for the end of the task.
    last = turn.catch(() => undefined);
    return await turn;
  };
}
