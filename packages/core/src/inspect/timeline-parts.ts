import {
  defined,
  type ObjectId,
  type ObjectStore,
  StoreError,
} from "@self-context-manager/objects";
import { handleLetter } from "../lines/handles.ts";
import { shortName } from "../render/short-name.ts";
import type { PartKind, TimelinePart } from "./timeline.ts";

/** The parts of a timeline. Each has a number, which never changes. */
export interface TimelineParts {
  readonly all: readonly TimelinePart[];
  /** Returns the number of a part by its key: a kind, or a handle after `:`. `idOf` finds the object of a new part. */
  numberOf(key: string, idOf: (handle: string) => ObjectId | undefined): number;
  /** Returns the name of an object by its handle; empty if it has none. */
  nameOf(handle: string): string;
  /** Reads the names of new parts. */
  describe(store: ObjectStore, workspace: string): Promise<void>;
}

/** Weight that the name of a part may have: about this many tokens. */
const nameWeight = 24;

const groups: ReadonlyMap<string, TimelinePart> = new Map(
  (
    [
      { kind: "system", name: "system prompts" },
      { kind: "messages", name: "messages" },
      { kind: "answers", name: "answers" },
      { kind: "lines", name: "lines of the context manager" },
    ] as const
  ).map((part) => [part.kind, part]),
);

export function timelineParts(): TimelineParts {
  const all: TimelinePart[] = [];
  const numbers = new Map<string, number>();
  /** The objects of new parts. An object that left the session and came back has one part for each handle. */
  const unnamed = new Map<number, ObjectId>();

  return {
    all,
    numberOf(key, idOf) {
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const number = all.length;
      numbers.set(key, number);
      const group = groups.get(key);
      if (group !== undefined) {
        all.push(group);
        return number;
      }
      const handle = key.slice(1);
      const id = idOf(handle);
      if (id !== undefined) unnamed.set(number, id);
      const kind = kindOfHandle(handle);
      all.push({ kind, handle, ...defined({ id }), name: "" });
      return number;
    },
    nameOf(handle) {
      const number = numbers.get(`:${handle}`);
      return number === undefined ? "" : (all[number]?.name ?? "");
    },
    async describe(store, workspace) {
      if (unnamed.size === 0) return;
      const found = await described(store, [...new Set(unnamed.values())]);
      const bodies = new Map(
        found.flatMap((one) => (one === undefined ? [] : [[one.body.id, one.body]])),
      );
      for (const [number, id] of unnamed) {
        const part = all[number];
        const body = bodies.get(id);
        if (part === undefined || body === undefined) continue;
        all[number] = {
          ...part,
          kind: kindOf(body.type),
          name: shortName(workspace, body, nameWeight),
        };
      }
      unnamed.clear();
    },
  };
}

/** Describes objects. If one of them is damaged, the others still are. */
async function described(
  store: ObjectStore,
  ids: readonly ObjectId[],
): Promise<Awaited<ReturnType<ObjectStore["describe"]>>> {
  try {
    return await store.describe(ids);
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    if (ids.length <= 1) return [];
    const half = ids.length >> 1;
    return [
      ...(await described(store, ids.slice(0, half))),
      ...(await described(store, ids.slice(half))),
    ];
  }
}

function kindOf(type: string): PartKind {
  if (type === "note") return "file";
  return type === "file" || type === "toolcall" || type === "user" ? type : "other";
}

const kinds: readonly string[] = ["file", "note", "toolcall", "user"];

/** The kind of an object that could not be read. */
function kindOfHandle(handle: string): PartKind {
  const type = kinds.find((one) => handleLetter(one) === handle[0]);
  return type === undefined ? "other" : kindOf(type);
}
