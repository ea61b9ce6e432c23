export { codecContract, type CodecContract } from "./codec/codec-contract.ts";
export type {
  CodecScenario,
  CodecSubject,
  DetailedSample,
  Encode,
  MessageStamp,
  SignedSample,
} from "./codec/codec-subject.ts";
export { type CodecLaw, codecLawNeeds, codecLaws } from "./codec/laws.ts";
export { type Availability, breakableStore } from "./harness/driver/breakable-store.ts";
export { countedIds } from "./harness/driver/counted-ids.ts";
export { neutralMessage, type NeutralParts } from "./harness/driver/neutral-message.ts";
export { storedHashes } from "./harness/driver/stored-hashes.ts";
export { storedTexts } from "./harness/driver/stored-texts.ts";
export { storedPrompts } from "./harness/driver/stored-prompts.ts";
export { hostSettings, openTriedSession, type TriedPlace } from "./harness/driver/tried-session.ts";
export { harnessContract, type HarnessContract } from "./harness/harness-contract.ts";
export type {
  HarnessHost,
  HarnessScenario,
  HostCall,
  HostCalls,
  HostLines,
  HostOptions,
  HostSettings,
  OpenHost,
  OtherExtension,
} from "./harness/harness-host.ts";
export { type HarnessLaw, harnessLawNeeds, harnessLaws } from "./harness/laws.ts";
export type {
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelToolCall,
  ScriptedModel,
} from "./harness/model-request.ts";
export { memoryFolder, type MemoryFolder } from "./harness/scripted/memory-folder.ts";
export {
  scriptedAdapter,
  type ScriptedAdapter,
  type ScriptedAdapterOptions,
  scriptedHarnessAdapter,
} from "./harness/scripted/scripted-adapter.ts";
export { scriptedCodecs } from "./harness/scripted/scripted-codecs.ts";
export { scriptedCodec, scriptedMessage } from "./harness/scripted/scripted-codec.ts";
export {
  type SavedSession,
  scriptedHarness,
  type ScriptedHarness,
  type ScriptedHarnessOptions,
} from "./harness/scripted/scripted-harness.ts";
export type {
  ModelContent,
  OutputContent,
  ScriptedContent,
  ScriptedMessage,
} from "./harness/scripted/scripted-message.ts";
export { markedMessages } from "./harness/scripted/scripted-payload.ts";
export { linesIn, scriptedCalls, scriptedTools } from "./harness/scripted/scripted-tools.ts";
export { wordsOf } from "./harness/stage.ts";
export type {
  ScriptedOutput,
  ScriptedPlugin,
  ScriptedTool,
} from "./harness/scripted/scripted-plugin.ts";
export {
  type CallEvent,
  hostEvent,
  type HostEvent,
  messagesOf,
} from "./history/arbitrary-history.ts";
export type { BreakingPlugin, OpenTriedSession } from "./history/history-session.ts";
export {
  checkListChanges,
  type ListChange,
  type ListChanges,
  type ListedMessages,
  type ListRound,
} from "./history/list-changes.ts";
export { sessionsWith, triedLayouts } from "./history/tried-layouts.ts";
export type { SessionHistory } from "./history/session-move.ts";
export { checkSessionHistories, type SessionHistories } from "./history/session-histories.ts";
export { type EpochLaw, epochLaws, type EpochSubject } from "./layout/epoch-laws.ts";
export { layoutContract, type LayoutContract } from "./layout/layout-contract.ts";
export { type LayoutLaw, layoutLaws, type LayoutTrial } from "./layout/layout-laws.ts";
export { type PoolLaw, poolLaws } from "./layout/pool-laws.ts";
export type { SessionScript } from "./layout/session-script.ts";
export { sequenceFaults } from "./layout/sequence-faults.ts";
export { checkScope, type ScopeCheck } from "./scope/check-scope.ts";
export type { ScopeMove } from "./scope/scope-move.ts";
export { openScopeSession, type OpenScopeSession, type ScopeStore } from "./scope/scope-world.ts";
export { type TrackerLaw, trackerLaws } from "./tracking/laws.ts";
export type { TrackerParts, TrackerScenario } from "./tracking/observed-tracker.ts";
export { fileTrackerContract, type FileTrackerContract } from "./tracking/tracker-contract.ts";
export {
  type OpenSummarizer,
  type SeenRequest,
  type SummarizerLaw,
  summarizerLaws,
  type SummarizerStage,
  type SummaryReply,
} from "./summarizer/laws.ts";
export { summarizerContract, type SummarizerContract } from "./summarizer/summarizer-contract.ts";
