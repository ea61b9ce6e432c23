export { argsDisplay } from "../chat/args-display.ts";
export type { Compaction, ReplacingMessage } from "../chat/chat-body.ts";
export {
  type AssistantStep,
  callsOf,
  isAssistantStep,
  type OpaqueStep,
  type Step,
  type Turn,
} from "../chat/turn.ts";
export { calibratedEstimator } from "../cost/calibrated-estimator.ts";
export { type Calibration } from "../cost/calibration.ts";
export type { MediaFacts } from "../cost/media-facts.ts";
export type { TokenEstimator } from "../cost/token-estimator.ts";
export {
  argumentsKey,
  type CallTime,
  type PolicyInput,
  type PolicyObject,
  type UseKey,
} from "../policy/activation-policy.ts";
export type {
  ActiveObject,
  CacheCost,
  Departure,
  EpochEnd,
  EpochPlace,
  HeldTexts,
  EpochInput,
  LayoutInput,
  LayoutOutput,
  Liveness,
  ShownObject,
} from "../view/layout.ts";
export type { PoolEntry } from "../view/pool-entry.ts";
export { filledShare } from "../view/filled-share.ts";
export {
  type LeftOut,
  leftOutOf,
  leftOutRows,
  type MessagePlace,
  placesOf,
} from "../view/left-out-rows.ts";
export { contentParts, handlesShown, type ShownPart, type ViewEntry } from "../view/view-entry.ts";
export type { ViewRecord } from "../view/view-record.ts";
export type { NamedVersion, ViewSource } from "../view/view-source.ts";
export { hasOwnLine, isOwnLine, type OwnLine, ownLines } from "../lines/own-lines.ts";
export { messageTokens } from "../render/message-tokens.ts";
