/**
 * Returns a map with at most so many entries. Setting a key makes its entry the newest one; the oldest entry beyond the
 * number is removed, and `removed` gets it.
 */
export function boundedMap<Key, Value>(
  most: number,
  removed: (key: Key, value: Value) => void = () => undefined,
): Map<Key, Value> {
  return new BoundedMap<Key, Value>(most, removed);
}

class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;
  readonly #removed: (key: Key, value: Value) => void;

  constructor(most: number, removed: (key: Key, value: Value) => void) {
    super();
    this.#most = most;
    this.#removed = removed;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    for (const [oldest, removed] of this) {
      if (this.size <= this.#most) break;
      this.delete(oldest);
      this.#removed(oldest, removed);
    }
    return this;
  }
}
