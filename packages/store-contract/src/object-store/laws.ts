import type { StoreSupports } from "@self-context-manager/objects";

import { busyStoresNothing, lockIsWaitedFor, lostIsNoticed } from "./laws/availability.ts";
import {
  commitIsAtomic,
  compareAndSet,
  nicknameIsUnique,
  readYourWrites,
  requestIdReplays,
  nextFollowsAtOnce,
  unchangedAddsNoVersion,
} from "./laws/commits.ts";
import { readsAreChecked } from "./laws/damage.ts";
import {
  documentsAreApart,
  documentsAreFound,
  documentsBelongToParser,
  documentsKeepNewest,
} from "./laws/documents.ts";
import { closedRejects, survivesReopen } from "./laws/lifetime.ts";
import {
  exportRoundTrips,
  gapsAreKept,
  importIsResumable,
  importIsWhole,
} from "./laws/portability.ts";
import { backupIsWhole, survivesKill, twoProcessesAgree } from "./laws/processes.ts";
import {
  absentIsUndefined,
  backlinksAgreeWithScan,
  changesSinceCounts,
  changesSinceIsComplete,
  findAgreesWithScan,
  findByLastChange,
  metadataLoadsNoContent,
  unresolvedReferencesStay,
} from "./laws/queries.ts";
import {
  privacyIsKept,
  removedIsAbsent,
  rewriteIsAtomic,
  rewriteIsNoticed,
  rewriteSurvivesKill,
  rewrittenIsGone,
  rewrittenKeepsItsPlace,
} from "./laws/rewriting.ts";
import { orderSurvives, referencesResolve } from "./laws/references.ts";
import {
  contentHashFindsVersion,
  deletionKeepsHistory,
  hashesAreTrue,
  textSurvives,
  timeAgreesWithOrder,
  timesAreBounded,
  versionsAgreeWithGet,
  versionsAreOrdered,
  versionsNeverChange,
} from "./laws/versions.ts";
import type { Scenario } from "./store-place.ts";

/** The key of a law. It names the law in the doc comment of `ObjectStore` and names the law's test. */
export type LawName =
  | "read-your-writes"
  | "commit-is-atomic"
  | "next-follows-at-once"
  | "versions-never-change"
  | "versions-are-ordered"
  | "time-agrees-with-order"
  | "times-are-bounded"
  | "content-hash-finds-version"
  | "unchanged-adds-no-version"
  | "compare-and-set"
  | "request-id-replays"
  | "nickname-is-unique"
  | "absent-is-undefined"
  | "deletion-keeps-history"
  | "find-agrees-with-scan"
  | "find-by-last-change"
  | "metadata-loads-no-content"
  | "hashes-are-true"
  | "backlinks-agree-with-scan"
  | "unresolved-references-stay"
  | "changes-since-is-complete"
  | "changes-since-counts"
  | "export-round-trips"
  | "import-is-resumable"
  | "gaps-are-kept"
  | "import-is-whole"
  | "versions-agree-with-get"
  | "text-survives"
  | "order-survives"
  | "references-resolve"
  | "documents-are-found"
  | "documents-keep-newest"
  | "documents-belong-to-parser"
  | "documents-are-apart"
  | "rewritten-keeps-its-place"
  | "rewritten-is-gone"
  | "removed-is-absent"
  | "rewrite-is-atomic"
  | "rewrite-survives-kill"
  | "rewrite-is-noticed"
  | "privacy-is-kept"
  | "closed-rejects"
  | "survives-reopen"
  | "reads-are-checked"
  | "survives-kill"
  | "two-processes-agree"
  | "lost-is-noticed"
  | "backup-is-whole"
  | "busy-stores-nothing"
  | "lock-is-waited-for";

/** All laws, each with the scenario that tests it. */
export const objectStoreLaws: Readonly<Record<LawName, Scenario>> = {
  "read-your-writes": readYourWrites,
  "commit-is-atomic": commitIsAtomic,
  "next-follows-at-once": nextFollowsAtOnce,
  "versions-never-change": versionsNeverChange,
  "versions-are-ordered": versionsAreOrdered,
  "time-agrees-with-order": timeAgreesWithOrder,
  "times-are-bounded": timesAreBounded,
  "content-hash-finds-version": contentHashFindsVersion,
  "unchanged-adds-no-version": unchangedAddsNoVersion,
  "compare-and-set": compareAndSet,
  "request-id-replays": requestIdReplays,
  "nickname-is-unique": nicknameIsUnique,
  "absent-is-undefined": absentIsUndefined,
  "deletion-keeps-history": deletionKeepsHistory,
  "find-agrees-with-scan": findAgreesWithScan,
  "find-by-last-change": findByLastChange,
  "metadata-loads-no-content": metadataLoadsNoContent,
  "hashes-are-true": hashesAreTrue,
  "backlinks-agree-with-scan": backlinksAgreeWithScan,
  "unresolved-references-stay": unresolvedReferencesStay,
  "changes-since-is-complete": changesSinceIsComplete,
  "changes-since-counts": changesSinceCounts,
  "export-round-trips": exportRoundTrips,
  "import-is-resumable": importIsResumable,
  "gaps-are-kept": gapsAreKept,
  "import-is-whole": importIsWhole,
  "versions-agree-with-get": versionsAgreeWithGet,
  "text-survives": textSurvives,
  "order-survives": orderSurvives,
  "references-resolve": referencesResolve,
  "documents-are-found": documentsAreFound,
  "documents-keep-newest": documentsKeepNewest,
  "documents-belong-to-parser": documentsBelongToParser,
  "documents-are-apart": documentsAreApart,
  "rewritten-keeps-its-place": rewrittenKeepsItsPlace,
  "rewritten-is-gone": rewrittenIsGone,
  "removed-is-absent": removedIsAbsent,
  "rewrite-is-atomic": rewriteIsAtomic,
  "rewrite-survives-kill": rewriteSurvivesKill,
  "rewrite-is-noticed": rewriteIsNoticed,
  "privacy-is-kept": privacyIsKept,
  "closed-rejects": closedRejects,
  "survives-reopen": survivesReopen,
  "reads-are-checked": readsAreChecked,
  "survives-kill": survivesKill,
  "two-processes-agree": twoProcessesAgree,
  "lost-is-noticed": lostIsNoticed,
  "backup-is-whole": backupIsWhole,
  "busy-stores-nothing": busyStoresNothing,
  "lock-is-waited-for": lockIsWaitedFor,
};

/** The capability that a store must declare before a law applies to it. */
export const lawNeeds: Readonly<Partial<Record<LawName, keyof StoreSupports>>> = {
  "survives-reopen": "durable",
  "reads-are-checked": "durable",
  "rewrite-survives-kill": "durable",
  "survives-kill": "durable",
  "two-processes-agree": "shared",
  "lost-is-noticed": "losable",
  "backup-is-whole": "losable",
  "busy-stores-nothing": "lockable",
  "lock-is-waited-for": "lockable",
};
