export {
  type CallEvent,
  hostEvent,
  type HostEvent,
  messagesOf,
} from "./history/arbitrary-history.ts";
export { sequenceFaults } from "./layout/sequence-faults.ts";
export {
  arbitraryFields,
  arbitraryReference,
  arbitraryText,
} from "./object-store/arbitraries.ts";
export { lawNeeds, type LawName, objectStoreLaws } from "./object-store/laws.ts";
export {
  objectStoreContract,
  type ObjectStoreContract,
} from "./object-store/object-store-contract.ts";
export type { CreatePlace, Scenario, StorePlace } from "./object-store/store-place.ts";
export { checkRandomHistories, type RandomHistories } from "./object-store/random-history.ts";
export { seededRandom, testScale, type TestScale } from "./scale.ts";
