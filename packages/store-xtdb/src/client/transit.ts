// Packages that compile this source do not find the declarations without this reference.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./transit-js.d.ts" />
import transit from "transit-js";

/**
 * Reads transit (JSON) as plain values: a keyword as its name, a map as an object with these names, a list or a set as an
 * array, an id or a hash as text, a time as ISO 8601 with milliseconds. Throws for a text that is not transit.
 *
 * The store requests answers in transit, because XTDB cuts the times in its JSON answers to whole seconds.
 */
export function readTransit(text: string): unknown {
  return reader.read(text);
}

const reader = transit.reader("json", {
  handlers: {
    ":": (name: string) => name,
    $: (name: string) => name,
    m: (milliseconds: string | number) => new Date(Number(milliseconds)).toISOString(),
    list: (items: unknown[]) => items,
    set: (items: unknown[]) => items,
    "xtdb/oid": (id: string) => id,
    "xtdb/base64": (bytes: string) => bytes,
  },
  mapBuilder: {
    init: () => ({}),
    add: (map, key, value) => {
      set(map, key, value);
      return map;
    },
    finalize: (map) => map,
    fromArray: (entries) => {
      const map = {};
      for (let index = 0; index < entries.length; index += 2)
        set(map, entries[index], entries[index + 1]);
      return map;
    },
  },
});

/** Assigns a field so that `__proto__` is an ordinary field too. */
function set(map: Record<string, unknown>, key: unknown, value: unknown): void {
  Object.defineProperty(map, String(key), {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
