import type { JsonValue } from "../model/json.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { Reference } from "../model/references.ts";
import type { SealedObject } from "../model/sealed-object.ts";
import type { DocumentIndex } from "./document-index.ts";
import type { StoredMetadata, StoredVersion, VersionPoint } from "../model/stored-version.ts";
import type { RewriteRequest, RewriteResult, StorePrivacy } from "./store-privacy.ts";

/**
 * Keeps objects and their versions.
 *
 * Laws, each with a scenario of the same key in `@self-context-manager/store-contract`:
 *
 * - `read-your-writes`: once `commit` resolves, every later read returns those versions or newer ones.
 * - `commit-is-atomic`: a commit that rejects has stored no version.
 * - `next-follows-at-once`: a commit with `next` is two transactions, and no other one is between them. The writes of the
 *   second are made from the versions of the first. Both are stored or neither, and each answer is as after two commits.
 * - `versions-never-change`: `get` always returns the same data for one version, until a rewrite changes that version.
 * - `versions-are-ordered`: the versions of an object are numbered 1, 2, 3 …, and `at: { txId }` returns the version
 *   that was the latest one after that transaction.
 * - `time-agrees-with-order`: times never decrease as transactions grow, unless the clock was set back by more than a day.
 *   `at: { txTime }` returns the version with the greatest number that is not younger than that time.
 * - `times-are-bounded`: the time of a transaction is in the years 1970 to 2200. A clock outside of them is not used; the
 *   last time is kept. A clock that is more than a day behind the last time is followed, so neither a clock that ran ahead
 *   nor an imported time binds later versions. `restore` rejects with `HISTORY_CONFLICT` for other times, for a version that
 *   is up to a day older than the former one, and for a transaction above 2^52. An export of such a store can be imported.
 * - `content-hash-finds-version`: `at: { contentHash }` returns the newest version with that hash.
 * - `unchanged-adds-no-version`: a write with the `object_hash` of the latest version adds no version.
 * - `compare-and-set`: of several commits that expect the same version exactly one resolves; the others reject with
 *   `VERSION_CONFLICT`.
 * - `request-id-replays`: a repeated request id returns the first outcome and writes nothing; in a durable store also
 *   after a reopening, and until a rewrite. With other writes it rejects with `REQUEST_CONFLICT`.
 * - `nickname-is-unique`: no two objects have the same nickname, and no nickname equals another object's id:
 *   `NICKNAME_TAKEN`.
 * - `absent-is-undefined`: for an unknown id, version or nickname the store returns `undefined`, never an error.
 * - `deletion-keeps-history`: a version with null content is a version like any other, and the earlier ones remain.
 * - `find-agrees-with-scan`: equality on scalar fields finds what a scan finds, in order of first commit, page by page.
 * - `find-by-last-change`: with `lastChangedFirst`, `find` finds the same objects, in the order in which their latest
 *   versions arrived, the last one first, page by page.
 * - `metadata-loads-no-content`: `history`, `find`, `describe`, `referrers` and `changesSince` return no bulk field.
 * - `hashes-are-true`: every stored hash equals the recomputed one.
 * - `backlinks-agree-with-scan`: `referrers` returns exactly the references in the latest versions, with path, kind and
 *   field.
 * - `unresolved-references-stay`: a reference to an object that does not exist is stored, and `referrers` finds it.
 * - `changes-since-is-complete`: from any position on, every later version is returned once, in order. From a position
 *   before a rewrite, all versions are returned, and `restarted` says so.
 * - `changes-since-counts`: with `counts`, `changesSince` returns the number of versions that follow, and 0 at the end.
 * - `export-round-trips`: export, import into an empty store and export again: both exports are byte-identical. So are
 *   the export of the versions up to a transaction and that of the versions after it, imported one after the other.
 * - `import-is-resumable`: a second import adds nothing; a different history of the same object is `HISTORY_CONFLICT`.
 * - `gaps-are-kept`: `restore` with `gaps` keeps versions between which others are missing, under their numbers. A missing
 *   version is `undefined` for `get`, and `versions` and `history` leave it out. By a transaction or a time that a missing
 *   version had, `get` returns the last version before it. The next commit follows the last version. A missing version is
 *   not added later: `HISTORY_CONFLICT`. An export names the missing versions, and an import of it leaves the same gaps.
 * - `import-is-whole`: an import that is refused has stored nothing. It is refused for a line against a limit, for a version
 *   or a nickname that contradicts the store, and without `merge` for versions of objects that the store already has.
 * - `versions-agree-with-get`: `versions` returns the versions that `get` returns by number, in order. Parts that are equal
 *   in consecutive versions are one frozen value: fields, and items at the beginning and at the end of a list.
 * - `text-survives`: any well-formed text of any length is returned unit for unit.
 * - `order-survives`: the fields of provider and tool data are returned in their original order, also after an import.
 * - `references-resolve`: a static reference resolves to its version with its hashes, by its transaction, or without one
 *   by its time or its content hash; a dynamic one resolves to the latest version, by the id or the nickname of its
 *   object; all also after an export and an import.
 * - `documents-are-found`: the document index returns, by ids, keys and tags, exactly what the last `keep` of each object
 *   gave.
 * - `documents-keep-newest`: an entry of an earlier version than the kept one changes nothing.
 * - `documents-belong-to-parser`: a parser does not see the entries of another one. Once another one has kept entries,
 *   the former ones are gone.
 * - `documents-are-apart`: keeping entries makes no version, and changes no other answer of the store.
 * - `rewritten-keeps-its-place`: a rewritten version has its number, its transaction and its place in the order, and true
 *   hashes; every other version stays as it is. Each way to find an object finds it by its new values only. An export and
 *   an import of the store are whole.
 * - `rewritten-is-gone`: after a rewrite, no answer and no file of the store has a text that only former or removed versions
 *   had. The entries of the document index are gone.
 * - `removed-is-absent`: a removed object is like one that never was; a reference to it stays as one to an unknown object,
 *   and a new object may have its id or its nickname.
 * - `rewrite-is-atomic`: a rewrite that rejects has changed nothing.
 * - `rewrite-survives-kill` (if `supports.durable`): a rewrite that is killed has changed nothing or all. Repeated, it also
 *   completes `rewritten-is-gone`.
 * - `rewrite-is-noticed`: a commit with the `generation` from before a rewrite rejects with `VERSION_CONFLICT` and writes
 *   nothing. Every open store of the same place returns the rewritten versions at once.
 * - `privacy-is-kept`: the key is the same in every open store of a place and another in every other place; the forgotten
 *   texts are each returned once, in order, also after a reopening; both are in no export.
 * - `closed-rejects`: after disposal every call rejects with `STORE_CLOSED`; disposal is idempotent.
 * - `survives-reopen` (if `supports.durable`): a reopened store returns the same data as before it was closed.
 * - `reads-are-checked` (if `supports.durable`): after a change of what is stored that the store did not make, each read
 *   returns what was stored, or less of it, or rejects with a `StoreError`; never anything else.
 * - `survives-kill` (if `supports.durable`): after a kill during commits every acknowledged version is complete and
 *   present.
 * - `two-processes-agree` (if `supports.shared`): two processes that write at the same time lose nothing, do not fail
 *   because of each other, and see each other's commits.
 * - `lost-is-noticed` (if `supports.losable`): once the files of an open store are deleted, renamed or replaced, every
 *   commit and every `restore` rejects with `STORE_LOST` and writes nothing, also when there is a new store at the
 *   place. A store that is opened where the files are missing begins empty, and the lost store does not change it.
 * - `backup-is-whole` (if `supports.losable`): a backup that is made while another process commits opens as a store with
 *   every commit that was acknowledged before, and has no part of a commit.
 * - `busy-stores-nothing` (if `supports.lockable`): if another process keeps the write lock for longer than the patience
 *   allows, `commit` and `restore` reject with `STORE_BUSY`. Nothing of them is stored, then or later, and reads are
 *   answered meanwhile. Without the lock the same commit resolves as if it had not been tried.
 * - `lock-is-waited-for` (if `supports.lockable`): a commit that finds the lock waits as long as the patience allows, and
 *   resolves once the lock is gone. It reports the lock to the patience, and then that the store works.
 */
export interface ObjectStore extends AsyncDisposable {
  readonly name: string;
  readonly supports: StoreSupports;
  /** What documents say, kept beside the versions. Its laws are in its own comment. */
  readonly documents: DocumentIndex;

  /**
   * Writes all objects in one transaction, or none. A commit that contains an object twice rejects with `TypeError`.
   * Sealed objects are frozen, so a store may keep them by reference.
   *
   * If another process has the write lock, the commit waits as long as the `Patience` with which the store was opened
   * allows, and then rejects with `STORE_BUSY`. A store whose files are gone rejects with `STORE_LOST`, and
   * the caller can open a new one.
   */
  commit(writes: readonly ObjectWrite[], options?: CommitOptions): Promise<CommitResult>;

  /** Returns the latest version of an object, or the version that `at` selects. */
  get(id: ObjectId, at?: VersionSelector): Promise<StoredVersion | undefined>;

  /** Returns the latest versions of several objects, in the order of the ids. */
  getMany(ids: readonly ObjectId[]): Promise<readonly (StoredVersion | undefined)[]>;

  /** Returns the metadata of the latest versions of several objects, in the order of the ids. */
  describe(ids: readonly ObjectId[]): Promise<readonly (StoredMetadata | undefined)[]>;

  /** Returns the metadata of all versions of an object, oldest first; empty for an unknown id. */
  history(id: ObjectId, options?: HistoryOptions): Promise<readonly StoredMetadata[]>;

  /**
   * Reads the versions of an object in order, oldest first, up to the latest one when the reading begins; none for an
   * unknown id. They are read in pages, so nothing is locked while the caller works on a version. At a damaged version the
   * reading rejects with `STORE_CORRUPT`; the versions after it can be read with `from`. A version that the store lacks is
   * left out.
   *
   * Consecutive versions share their equal parts, so hashing the next version costs only what has changed.
   */
  versions(id: ObjectId, range?: VersionRange): AsyncIterable<StoredVersion>;

  /** Returns the objects whose latest version has all the given field values, in order of first commit. */
  find(query: FindQuery): Promise<Page<StoredMetadata>>;

  /** Returns the object that has the nickname now. */
  lookup(nickname: string): Promise<StoredMetadata | undefined>;

  /** Returns the references to an object in latest versions, ordered by the first commit of the referrer, then by path. */
  referrers(id: ObjectId, options?: ReferrersOptions): Promise<Page<Referrer>>;

  /**
   * Returns the versions after a position in order of commit; all versions if there is no position. At a damaged version
   * it rejects with `STORE_CORRUPT`, or leaves the version out with `skipDamaged`.
   */
  changesSince(position?: string, options?: ChangesOptions): Promise<Changes>;

  /**
   * Adds versions from another store with their numbers and transactions, so that references to them still resolve
   * (decision D58). A version that is already stored is skipped. A version that contradicts a stored one, or leaves a
   * gap without `gaps`, rejects with `HISTORY_CONFLICT`. Later transactions of this store have greater ids than the
   * restored ones.
   */
  restore(
    versions: readonly StoredVersion[],
    options?: RestoreOptions,
  ): Promise<{ readonly added: number }>;

  /**
   * Writes versions again or removes objects, in one step, and leaves nothing of what was before in the store's files. It
   * serves the user's wish to forget (decision D69, §17), and is the one exception to the rule that a version never
   * changes. It waits for the write lock as `commit` does, and can take as long as an import of the store. Rejects with
   * `STORE_CORRUPT` for an object with a damaged version, and with `TypeError` for a changed id.
   */
  rewrite(request: RewriteRequest): Promise<RewriteResult>;

  /** Returns the key of the store, the number of rewrites and the forgotten texts. */
  privacy(): Promise<StorePrivacy>;
}

/** The optional capabilities of a store. */
export interface StoreSupports {
  /** Acknowledged commits survive any end of the process. */
  readonly durable: boolean;
  /** Several processes may have the store open at the same time. */
  readonly shared: boolean;
  /** It has files of its own, which can be deleted, renamed or replaced while it is open. */
  readonly losable: boolean;
  /** Another process can lock it, so that it cannot write. */
  readonly lockable: boolean;
}

/** One object to write. `expect` is the number of the version that must be the latest; 0 if there must be none. */
export interface ObjectWrite {
  readonly object: SealedObject;
  readonly expect?: number;
}

export interface CommitOptions {
  /** Makes the commit repeatable: see the law `request-id-replays`. */
  readonly requestId?: string;
  /**
   * The caller makes another commit before it shows anybody the result of this one. The store may then defer the fsync
   * of this commit to the next one. The commit survives a crash of the process at once. It survives a crash of the
   * machine once the next commit has resolved, even if that commit adds no version. A later commit is never kept
   * without this one.
   */
  readonly isFollowed?: boolean;
  /**
   * Returns the writes of a second transaction, which can refer to the versions of the first. They are stored together, so that
   * the caller waits once. The answer has the versions of both, those of the first at the beginning. It can be called again if
   * another commit comes first, and then has to return the same objects, with the new points of the first ones. Rejects with
   * `TypeError` for an object of the first transaction, and with a request id.
   */
  readonly next?: (first: readonly CommittedVersion[]) => readonly ObjectWrite[];
  /** The `generation` of `privacy` when the caller read what it writes. Default: any. */
  readonly generation?: number;
}

export interface CommitResult {
  /** One item for each write, in order. */
  readonly versions: readonly CommittedVersion[];
  /** True if a repeated request id returned an earlier outcome. */
  readonly replayed: boolean;
}

export interface CommittedVersion {
  readonly id: ObjectId;
  readonly version: number;
  readonly at: VersionPoint;
  /** False if the latest version already equals the write; `version` and `at` are then those of that version. */
  readonly changed: boolean;
}

export interface RestoreOptions {
  /** Whether versions may be missing between the given ones, because a damaged store lost them. Default: false. */
  readonly gaps?: boolean;
}

/** Selects a version by number, by transaction, by time (ISO 8601), or by content hash. */
export type VersionSelector =
  | { readonly version: number }
  | { readonly txId: number }
  | { readonly txTime: string }
  | { readonly contentHash: string };

export interface HistoryOptions {
  /** Only versions after this one. */
  readonly after?: number;
  readonly limit?: number;
}

export interface VersionRange {
  /** The number of the first version. Default: 1. */
  readonly from?: number;
  /** The number of the last version, included. Default: the latest. */
  readonly to?: number;
}

export interface FindQuery {
  /**
   * Field values that must be equal. A field of an inner object is named by the names joined with dots
   * (`provenance.origin`). `null` also finds objects that lack the field. Bulk fields, foreign fields, lists and
   * references cannot be queried.
   */
  readonly where?: Readonly<Record<string, Scalar>>;
  /** The id must begin with this text. */
  readonly idPrefix?: string;
  readonly newestFirst?: boolean;
  /**
   * Lists the objects in the order in which their latest versions arrived in this store, the last one first. An object that
   * changes between two pages is on the first pages from then on. `newestFirst` does not apply.
   */
  readonly lastChangedFirst?: boolean;
  /** The greatest number of items; default 100. */
  readonly limit?: number;
  /** The `next` of the previous page. */
  readonly after?: string;
}

export type Scalar = Extract<JsonValue, string | number | boolean | null>;

/** One page of a result; `next` is present if more items follow. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

export interface ReferrersOptions {
  readonly kind?: Reference["ref"];
  readonly limit?: number;
  readonly after?: string;
}

/** One place that refers to an object. */
export interface Referrer {
  /** The object that holds the reference. */
  readonly id: ObjectId;
  /** The place of the reference in that object, as a JSON pointer. */
  readonly path: string;
  readonly reference: Reference;
}

export interface ChangesOptions {
  readonly limit?: number;
  /** Whether versions that cannot be read are left out and counted. Default: false. */
  readonly skipDamaged?: boolean;
  /** Whether the answer says how many versions follow. Default: false. */
  readonly counts?: boolean;
}

export interface Changes {
  readonly versions: readonly StoredMetadata[];
  /** The position for the next call; unchanged if there were no versions, and none that was left out. */
  readonly position: string;
  /** The number of versions that were left out, if there are any. */
  readonly skipped?: number;
  /** With `counts`: the number of versions after `position`. A store may count removed versions too. */
  readonly left?: number;
  /** True if the position was one before a rewrite, so that all versions are returned again from the first. */
  readonly restarted?: true;
  /** Those of them whose object and number are known. */
  readonly damaged?: readonly { readonly id: ObjectId; readonly version: number }[];
}
