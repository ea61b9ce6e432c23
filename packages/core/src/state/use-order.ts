import { recentLimit, type UseKey } from "../policy/activation-policy.ts";
import type { StatePart } from "./state-part.ts";

/** The objects of a path: the newest object that names the file, and the newest one that shows its text. */
export interface PathHolders {
  readonly newest: UseKey;
  readonly read?: UseKey;
}

/** The order in which the objects of a session were used, for the policy. */
export interface UseOrder extends StatePart {
  /** The keys in order, the newest last. It is a short list. */
  readonly recent: readonly UseKey[];
  /** The objects that contain the text of a file, by path; undefined until they are computed from the chat. */
  readonly paths: ReadonlyMap<string, PathHolders> | undefined;
  /** Moves a key to the end of the order. */
  use(key: UseKey): void;
  /** Removes a key. A deactivated object is not used again when a call names its file. */
  forget(key: UseKey): void;
  /** Begins an empty table of the objects that contain files, and returns it. */
  beginPaths(): ReadonlyMap<string, PathHolders>;
  /** Notes which objects contain the text of a file. */
  hold(path: string, holders: PathHolders): void;
  /** Forgets the objects that contain files, because the chat was replaced. */
  forgetPaths(): void;
  /** Replaces the order by that of a stored session. */
  restore(recent: readonly UseKey[]): void;
}

/** Returns an empty order. */
export function useOrder(): UseOrder {
  const order = new Set<UseKey>();
  /** The order as a list, since it was last asked for. */
  let recent: readonly UseKey[] | undefined = [];
  let newest: UseKey | undefined;
  let paths: Map<string, PathHolders> | undefined;
  let isChanged = false;

  function change(): void {
    recent = undefined;
    isChanged = true;
  }

  function add(key: UseKey): void {
    order.delete(key);
    order.add(key);
    newest = key;
  }

  return {
    get recent() {
      return (recent ??= [...order]);
    },
    get paths() {
      return paths;
    },
    get isChanged() {
      return isChanged;
    },
    noteStored() {
      isChanged = false;
    },
    use(key) {
      if (newest === key) return;
      add(key);
      const [oldest] = order;
      if (order.size > recentLimit && oldest !== undefined) order.delete(oldest);
      change();
    },
    forget(key) {
      if (!order.delete(key)) return;
      newest = [...order].at(-1);
      change();
    },
    beginPaths() {
      paths = new Map();
      return paths;
    },
    hold(path, holders) {
      paths?.set(path, holders);
    },
    forgetPaths() {
      paths = undefined;
    },
    restore(stored) {
      order.clear();
      newest = undefined;
      for (const key of stored) add(key);
      change();
      paths = undefined;
    },
  };
}
