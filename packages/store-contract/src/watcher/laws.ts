import {
  closedIsSilent,
  removedIsSilent,
  searchStaysInside,
  unknownIsSilent,
  watchesAreBounded,
} from "./laws/bounds.ts";
import {
  absenceIsReported,
  addCompares,
  burstIsComplete,
  changeIsReported,
  lastStateIsReported,
  linksAreNotFollowed,
  permissionsAreReported,
  renameOverIsNoAbsence,
} from "./laws/changes.ts";
import {
  caseRenameIsReported,
  copyIsFound,
  movedFolderIsReported,
  movedIsFound,
} from "./laws/moves.ts";
import type { WatcherScenario } from "./watcher-place.ts";

/** The key of a law. It names the law in the doc comment of `Watcher` and names the law's test. */
export type WatcherLaw =
  | "change-is-reported"
  | "add-compares"
  | "last-state-is-reported"
  | "rename-over-is-no-absence"
  | "absence-is-reported"
  | "moved-is-found"
  | "moved-folder-is-reported"
  | "copy-is-found"
  | "case-rename-is-reported"
  | "links-are-not-followed"
  | "permissions-are-reported"
  | "burst-is-complete"
  | "unknown-is-silent"
  | "removed-is-silent"
  | "watches-are-bounded"
  | "search-stays-inside"
  | "closed-is-silent";

/** All laws, each with the scenario that tests it. */
export const watcherLaws: Readonly<Record<WatcherLaw, WatcherScenario>> = {
  "change-is-reported": changeIsReported,
  "add-compares": addCompares,
  "last-state-is-reported": lastStateIsReported,
  "rename-over-is-no-absence": renameOverIsNoAbsence,
  "absence-is-reported": absenceIsReported,
  "moved-is-found": movedIsFound,
  "moved-folder-is-reported": movedFolderIsReported,
  "copy-is-found": copyIsFound,
  "case-rename-is-reported": caseRenameIsReported,
  "links-are-not-followed": linksAreNotFollowed,
  "permissions-are-reported": permissionsAreReported,
  "burst-is-complete": burstIsComplete,
  "unknown-is-silent": unknownIsSilent,
  "removed-is-silent": removedIsSilent,
  "watches-are-bounded": watchesAreBounded,
  "search-stays-inside": searchStaysInside,
  "closed-is-silent": closedIsSilent,
};
