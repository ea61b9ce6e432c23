/**
 * Returns a function that answers single questions. The questions of one turn of the event loop are asked together, so
 * that the network delay is paid once. If that fails for a reason that not all questions share, each is asked alone, so
 * that one bad question does not make the others fail.
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
      // Runs after all callbacks that are ready now, so that their questions are included.
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
