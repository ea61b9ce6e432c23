export type {
  CreateFilePlace,
  FilePlace,
  FileSourceScenario,
  FileSourceSupports,
} from "./files/file-place.ts";
export { fileSourceContract, type FileSourceContract } from "./files/file-source-contract.ts";
export { type FileSourceLaw, fileSourceLawNeeds, fileSourceLaws } from "./files/laws.ts";
export { arbitraryFields, arbitraryReference, arbitraryText } from "./object-store/arbitraries.ts";
export { damageFile } from "./object-store/damage-file.ts";
export { checkDamagedReads } from "./object-store/laws/damage.ts";
export { lawNeeds, type LawName, objectStoreLaws } from "./object-store/laws.ts";
export { sample } from "./object-store/samples.ts";
export {
  objectStoreContract,
  type ObjectStoreContract,
} from "./object-store/object-store-contract.ts";
export type {
  CreatePlace,
  PlaceOptions,
  Scenario,
  StorePlace,
} from "./object-store/store-place.ts";
export { checkRandomHistories, type RandomHistories } from "./object-store/random-history.ts";
export { runsEveryForm, seededRandom, testScale, type TestScale } from "./scale.ts";
export { type WatcherLaw, watcherLaws } from "./watcher/laws.ts";
export { watcherContract, type WatcherContract } from "./watcher/watcher-contract.ts";
export {
  emptyFolder,
  type OpenWatcher,
  type WatcherScenario,
  type WatcherScenarioOptions,
} from "./watcher/watcher-place.ts";
export { inRounds } from "./watcher/in-rounds.ts";
