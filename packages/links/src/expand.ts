import {
  collectReferences,
  compareText,
  defined,
  type JsonObject,
  metadataOf,
  type ObjectId,
  type ObjectStore,
  type ParsedLink,
  type PatternStep,
  readPattern,
  type Reference,
  type ResolvedVersion,
  resolveReference,
  selects,
  type StoredVersion,
  type VersionPoint,
  type VersionProblem,
} from "@self-context-manager/objects";

import { type LinkParts, linksOfVersion } from "./follow-links.ts";

/** How far `expand` walks, and what it returns of each object. */
export interface ExpandOptions {
  /** The fields of each object that are returned. Default: `metadata`, all that are not bulk fields. */
  readonly fields?: "metadata" | readonly string[];
  /** How many steps from the given references are walked. Default 0: only the given references. */
  readonly depth?: number;
  /** The greatest number of items. Default 100. */
  readonly limit?: number;
  /** Only references at these places are walked, such as `toolcall_refs[*]`. Default: all, and links of documents. */
  readonly pattern?: string;
  /** The transaction as of which dynamic references are read. Default: the newest that is met. */
  readonly txId?: number;
  /** Finds the links of documents. Without it, only stored references are walked. */
  readonly links?: LinkParts;
}

/** One reference that was expanded. */
export interface Expanded {
  readonly reference: Reference;
  /** The number of the item that holds the reference, and its place there; undefined for a given reference. */
  readonly parent?: number;
  readonly path?: string;
  /** The link of a document, if the reference is one. */
  readonly link?: ParsedLink;
  readonly depth: number;
  readonly version?: number;
  readonly at?: VersionPoint;
  /** The fields that were asked for. */
  readonly object?: JsonObject;
  /** The number of the item that has the same version of the object; `object` is there. */
  readonly sameAs?: number;
  /** Why nothing is there, or why it is not what the reference names. */
  readonly problem?: VersionProblem;
}

/** The result of `expand`. */
export interface Expansion {
  readonly items: readonly Expanded[];
  /** The transaction as of which dynamic references were read: given again, the walk has the same result. */
  readonly txId: number;
  /** True if references remain because of the limit. */
  readonly isCut: boolean;
}

/** How often a walk is repeated because objects changed while it was made. */
const mostTries = 3;

/**
 * Expands references (§9, decision D65): breadth first, in the order of the places, each version once. A static reference
 * is expanded at its own version, a dynamic one at the transaction of the walk. A reference that cannot be resolved is
 * an item with a problem. Rejects only with the `StoreError` of a store that cannot be read, and with `TypeError` for a
 * pattern that cannot be read.
 */
export async function expand(
  store: ObjectStore,
  references: readonly Reference[],
  options: ExpandOptions = {},
): Promise<Expansion> {
  const steps = options.pattern === undefined ? undefined : readPattern(options.pattern);
  for (let tries = 1; ; tries += 1) {
    const walk = new Walk(store, options, steps);
    await walk.run(references);
    if (tries === mostTries || (await walk.isOfOneState())) return walk.expansion();
  }
}

/** A reference that waits to be read. */
type Waiting = Pick<Expanded, "reference" | "parent" | "path" | "link" | "depth">;

class Walk {
  readonly #store: ObjectStore;
  readonly #options: ExpandOptions;
  readonly #steps: readonly PatternStep[] | undefined;
  readonly #items: Expanded[] = [];
  /** The item of each version that was read. */
  readonly #read = new Map<string, number>();
  /** The latest versions that were read. */
  readonly #latest = new Map<ObjectId, number>();
  #txId: number;
  #isCut = false;

  constructor(
    store: ObjectStore,
    options: ExpandOptions,
    steps: readonly PatternStep[] | undefined,
  ) {
    this.#store = store;
    this.#options = options;
    this.#steps = steps;
    this.#txId = options.txId ?? 0;
  }

  async run(references: readonly Reference[]): Promise<void> {
    const { depth = 0, limit = 100 } = this.#options;
    let level: readonly Waiting[] = references.map((reference) => ({ reference, depth: 0 }));
    while (level.length > 0) {
      const next: Waiting[] = [];
      for (const waiting of level) {
        if (this.#items.length >= limit) {
          this.#isCut = true;
          return;
        }
        const stored = await this.#readOne(waiting);
        if (stored !== undefined && waiting.depth < depth)
          next.push(...(await this.#inside(stored, waiting)));
      }
      level = next;
    }
  }

  /** Adds the item of a reference. Returns the version, unless another item has it or it cannot be read. */
  async #readOne(waiting: Waiting): Promise<StoredVersion | undefined> {
    const { reference } = waiting;
    const found = await this.#resolve(reference);
    const { stored, value, problem } = found;
    if (stored === undefined) {
      this.#items.push({ ...waiting, ...defined({ problem }) });
      return undefined;
    }
    const { version, at, body } = stored;
    const key = `${body.id} ${version} ${reference.field ?? ""}`;
    const sameAs = this.#read.get(key);
    const item: Expanded = { ...waiting, version, at, ...defined({ problem }) };
    if (sameAs !== undefined) {
      this.#items.push({ ...item, sameAs });
      return undefined;
    }
    this.#read.set(key, this.#items.length);
    const { field } = reference;
    const object = field === undefined ? this.#fieldsOf(stored) : { [field]: value };
    this.#items.push({ ...item, object });
    return stored;
  }

  async #resolve(reference: Reference): Promise<ResolvedVersion> {
    const { txId } = this.#options;
    if (reference.ref === "static") return await resolveReference(this.#store, reference);
    if (txId !== undefined) return await this.#resolveAt(reference, txId);
    const found = await resolveReference(this.#store, reference);
    if (found.stored !== undefined) {
      this.#txId = Math.max(this.#txId, found.stored.at.tx_id);
      this.#latest.set(found.stored.body.id, found.stored.version);
    }
    return found;
  }

  async #resolveAt(reference: Reference, txId: number): Promise<ResolvedVersion> {
    const stored = await this.#store.get(reference.id, { txId });
    if (stored === undefined) {
      const text = `object ${reference.id} did not exist as of transaction ${txId}`;
      return { isVerified: false, problem: { id: reference.id, type: "missing", text } };
    }
    const { field } = reference;
    return await resolveReference(this.#store, {
      ref: "static",
      id: reference.id,
      tx_id: stored.at.tx_id,
      ...defined({ field }),
    });
  }

  #fieldsOf({ body }: StoredVersion): JsonObject {
    const { fields = "metadata" } = this.#options;
    if (fields === "metadata") return metadataOf(body);
    return Object.fromEntries(
      ["id", "type", ...fields].flatMap((field) =>
        body[field] === undefined ? [] : [[field, body[field]]],
      ),
    );
  }

  /**
   * The references of the version that was read last, in the order of their places; the links of a document follow. A
   * reference to a field leads only to what is in the field.
   */
  async #inside(
    stored: StoredVersion,
    { reference: { field }, ...from }: Waiting,
  ): Promise<readonly Waiting[]> {
    const steps = this.#steps;
    const parent = this.#items.length - 1;
    const depth = from.depth + 1;
    // Stores return the fields of an object in different orders.
    const references = collectReferences(stored.body)
      .filter(({ path }) => field === undefined || isInside(path, field))
      .filter(({ path }) => steps === undefined || selects(steps, path))
      .toSorted((one, other) => comparePaths(one.path, other.path))
      .map(({ path, reference }): Waiting => ({ reference, parent, path, depth }));
    const { links } = this.#options;
    if (links === undefined || (field !== undefined && field !== "content")) return references;
    const followed = await linksOfVersion(stored, links);
    return [
      ...references,
      ...followed.flatMap(({ link, target }): readonly Waiting[] => {
        if (target.state === "unresolved") return [];
        const path = link.path.startsWith("/") ? link.path : `/${link.path}`;
        if (steps !== undefined && !selects(steps, path)) return [];
        return [{ reference: { ref: "dynamic", id: target.id }, parent, path, link, depth }];
      }),
    ];
  }

  /** Whether every version that was read as latest was so as of the newest transaction that was met. */
  async isOfOneState(): Promise<boolean> {
    const read = [...this.#latest];
    const now = await this.#store.describe(read.map(([id]) => id));
    for (const [index, [id, version]] of read.entries()) {
      if (now[index]?.version === version) continue;
      const then = await this.#store.get(id, { txId: this.#txId });
      if (then?.version !== version) return false;
    }
    return true;
  }

  expansion(): Expansion {
    return { items: this.#items, txId: this.#txId, isCut: this.#isCut };
  }
}

/** Whether a JSON pointer leads into a field, which is a pointer too, or names that are joined with dots. */
function isInside(path: string, field: string): boolean {
  const pointer = field.startsWith("/") ? field : `/${field.replaceAll(".", "/")}`;
  return path === pointer || path.startsWith(`${pointer}/`);
}

/** Compares JSON pointers by their parts, and numbers of items as numbers. */
function comparePaths(one: string, other: string): number {
  const [first, second] = [one.split("/"), other.split("/")];
  for (const [index, part] of first.entries()) {
    const opposite = second[index];
    if (opposite === undefined) return 1;
    const order = Number(part) - Number(opposite) || compareText(part, opposite);
    if (order !== 0) return order;
  }
  return first.length - second.length;
}
