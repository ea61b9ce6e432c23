import {
  fileSizes,
  type SizedFile,
  storeFiles,
  type StorePlace,
} from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import {
  attributedBytes,
  type ContainedObject,
  type ContainedSession,
  parentOf,
  storeContents,
  type StoreContents,
} from "@self-context-manager/core/inspect";
import { defined } from "@self-context-manager/objects";

/** What takes the room in a store. */
export interface StoreStats {
  readonly total: Amount;
  /** The largest first. */
  readonly types: readonly (Amount & { readonly type: string })[];
  /** With the texts that a session was the first to have. */
  readonly sessions: readonly (ContainedSession & Amount)[];
  /** The folders in which sessions have worked; undefined: objects that are in none of them. The largest first. */
  readonly workspaces: readonly (Amount & {
    readonly workspace: string | undefined;
    readonly sessions: number;
  })[];
  /** The parts of the database file. */
  readonly pages?: Readonly<Record<string, number>>;
  /** The files of the store and those beside it. */
  readonly files: readonly SizedFile[];
  readonly contents: StoreContents;
}

/** How much there is of something. */
export interface Amount {
  readonly objects: number;
  readonly versions: number;
  /** Undefined if the store does not know the bytes. */
  readonly bytes?: number;
  /** Characters of the contents of the latest versions. */
  readonly characters: number;
}

/** Measures a store. */
export async function storeStats(
  place: StorePlace,
  store: ObjectStore,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<StoreStats> {
  const contents = await storeContents(store);
  const sizes = await fileSizes(place);
  const bytes = sizes && attributedBytes(sizes);
  const amountOf = (objects: readonly ContainedObject[]): Amount => ({
    objects: objects.length,
    versions: sum(objects, ({ id, version }) => sizes?.objects.get(id)?.versions ?? version),
    ...defined({ bytes: bytes && sum(objects, ({ id }) => bytes.get(id) ?? 0) }),
    characters: sum(objects, ({ characters = 0 }) => characters),
  });
  const all = [...contents.objects.values()];
  const ofSession = Map.groupBy(all, ({ session }) => session);
  const inWorkspace = Map.groupBy(all, workspaceOf(contents));
  const sessionsIn = Map.groupBy([...contents.sessions.values()], ({ workspace }) => workspace);
  return {
    total: amountOf(all),
    types: [...Map.groupBy(all, ({ type }) => type)]
      .map(([type, objects]) => ({ type, ...amountOf(objects) }))
      .toSorted(largestFirst),
    sessions: [...contents.sessions.values()].map((session) => ({
      ...session,
      ...amountOf(ofSession.get(session.id) ?? []),
    })),
    workspaces: [...inWorkspace]
      .map(([workspace, objects]) => ({
        workspace,
        sessions: sessionsIn.get(workspace)?.length ?? 0,
        ...amountOf(objects),
      }))
      .toSorted(largestFirst),
    ...defined({ pages: sizes?.pages }),
    files: await storeFiles(place, environment),
    contents,
  };
}

/** Orders amounts by bytes, or by characters where the store does not know bytes; the largest first. */
export function largestFirst(one: Amount, other: Amount): number {
  return (
    (other.bytes ?? 0) - (one.bytes ?? 0) ||
    other.characters - one.characters ||
    other.versions - one.versions
  );
}

/** Returns the workspace of an object: that of its session, or the innermost one that its path is in. */
function workspaceOf({ sessions }: StoreContents): (object: ContainedObject) => string | undefined {
  const known = new Set([...sessions.values()].map(({ workspace }) => workspace));
  return ({ session, path }) => {
    if (session !== undefined) return sessions.get(session)?.workspace;
    for (let folder = path; folder !== undefined; folder = parentOf(folder))
      if (known.has(folder)) return folder;
    return undefined;
  };
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
