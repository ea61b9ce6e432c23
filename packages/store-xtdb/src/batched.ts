/**
 * Answers single questions of one turn of the event loop by asking them together: over a network many waits are then
 * one. Where that fails for a reason that not all share, each is asked by itself, so that none fails for another's sake.
 */
export function batched<Key, Value>(
  ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  isShared: (reason: unknown) => boolean,
): (key: Key) => Promise<Value | undefined> {
  let gathered: { readonly keys: Set<Key>; readonly answers: Promise<ReadonlyMap<Key, Value>> };
  let isGathering = false;

  function gather(): typeof gathered {
    const keys = new Set<Key>();
    const answers = new Promise<ReadonlyMap<Key, Value>>((resolve, reject) => {
      // After all that is ready to run by now.
      process.nextTick(() => {
        isGathering = false;
        ask([...keys]).then(resolve, reject);
      });
    });
    isGathering = true;
    return { keys, answers };
  }

  return async (key) => {
    if (!isGathering) gathered = gather();
    const { keys, answers } = gathered;
    keys.add(key);
    try {
      return (await answers).get(key);
    } catch (error) {
      if (keys.size === 1 || isShared(error)) throw error;
      return (await ask([key])).get(key);
    }
  };
}
