import {
  closedIsSilent,
  removedIsSilent,
  searchStaysInside,
  unknownIsSilent,
  watchesAreBounded,
} from "./laws/bounds.ts";
import {
  absenceIsTold,
  addCompares,
  burstIsComplete,
  changeIsTold,
  lastStateIsTold,
  linksAreNotFollowed,
  permissionsAreTold,
  renameOverIsNoAbsence,
} from "./laws/changes.ts";
import { caseRenameIsTold, copyIsFound, movedFolderIsTold, movedIsFound } from "./laws/moves.ts";
import type { WatcherScenario } from "./watcher-place.ts";

/** The key of a law: its name in the doc comment of `Watcher`, and that of its test. */
export type WatcherLaw =
  | "change-is-told"
  | "add-compares"
  | "last-state-is-told"
  | "rename-over-is-no-absence"
  | "absence-is-told"
  | "moved-is-found"
  | "moved-folder-is-told"
  | "copy-is-found"
  | "case-rename-is-told"
  | "links-are-not-followed"
  | "permissions-are-told"
  | "burst-is-complete"
  | "unknown-is-silent"
  | "removed-is-silent"
  | "watches-are-bounded"
  | "search-stays-inside"
  | "closed-is-silent";

/** Every law with the scenario that tries it. */
export const watcherLaws: Readonly<Record<WatcherLaw, WatcherScenario>> = {
  "change-is-told": changeIsTold,
  "add-compares": addCompares,
  "last-state-is-told": lastStateIsTold,
  "rename-over-is-no-absence": renameOverIsNoAbsence,
  "absence-is-told": absenceIsTold,
  "moved-is-found": movedIsFound,
  "moved-folder-is-told": movedFolderIsTold,
  "copy-is-found": copyIsFound,
  "case-rename-is-told": caseRenameIsTold,
  "links-are-not-followed": linksAreNotFollowed,
  "permissions-are-told": permissionsAreTold,
  "burst-is-complete": burstIsComplete,
  "unknown-is-silent": unknownIsSilent,
  "removed-is-silent": removedIsSilent,
  "watches-are-bounded": watchesAreBounded,
  "search-stays-inside": searchStaysInside,
  "closed-is-silent": closedIsSilent,
};
