import {
  atomicSaveIsAChange,
  bytesAreCompared,
  changeMakesAVersion,
  editAfterReadIsStored,
  largeGrowthIsNotRead,
  lateReadsAreNotStored,
  lastContentIsStored,
  othersVersionsAreReported,
  ownWritesAreNotForeign,
  unnamedIsNotRead,
  unreadableKeepsTheLast,
  untouchedMakesNoVersion,
} from "./change-laws.ts";
import {
  deletionKeepsHistory,
  moveKeepsTheObject,
  recreationIsTheSameObject,
  namedIsTracked,
  startCatchesUp,
  startKeepsIdentity,
  swapKeepsBoth,
  unrelatedFileIsAnother,
} from "./move-laws.ts";
import type { TrackerScenario } from "./observed-tracker.ts";

/** The key of a law. It names the law in the doc comment of `FileTracker` and names the law's test. */
export type TrackerLaw =
  | "change-makes-a-version"
  | "last-content-is-stored"
  | "edit-after-read-is-stored"
  | "untouched-makes-no-version"
  | "bytes-are-compared"
  | "large-growth-is-not-read"
  | "atomic-save-is-a-change"
  | "move-keeps-the-object"
  | "swap-keeps-both"
  | "deletion-keeps-history"
  | "recreation-is-the-same-object"
  | "unrelated-file-is-another"
  | "unreadable-keeps-the-last"
  | "own-writes-are-not-foreign"
  | "others-versions-are-reported"
  | "late-reads-are-not-stored"
  | "start-catches-up"
  | "start-keeps-identity"
  | "named-is-tracked"
  | "unnamed-is-not-read";

/** All laws, each with the scenario that tests it. */
export const trackerLaws: Readonly<Record<TrackerLaw, TrackerScenario>> = {
  "change-makes-a-version": changeMakesAVersion,
  "last-content-is-stored": lastContentIsStored,
  "edit-after-read-is-stored": editAfterReadIsStored,
  "untouched-makes-no-version": untouchedMakesNoVersion,
  "bytes-are-compared": bytesAreCompared,
  "large-growth-is-not-read": largeGrowthIsNotRead,
  "atomic-save-is-a-change": atomicSaveIsAChange,
  "move-keeps-the-object": moveKeepsTheObject,
  "swap-keeps-both": swapKeepsBoth,
  "deletion-keeps-history": deletionKeepsHistory,
  "recreation-is-the-same-object": recreationIsTheSameObject,
  "unrelated-file-is-another": unrelatedFileIsAnother,
  "unreadable-keeps-the-last": unreadableKeepsTheLast,
  "own-writes-are-not-foreign": ownWritesAreNotForeign,
  "others-versions-are-reported": othersVersionsAreReported,
  "late-reads-are-not-stored": lateReadsAreNotStored,
  "start-catches-up": startCatchesUp,
  "start-keeps-identity": startKeepsIdentity,
  "named-is-tracked": namedIsTracked,
  "unnamed-is-not-read": unnamedIsNotRead,
};
