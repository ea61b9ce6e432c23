export {
  type AnthropicModel,
  type AnthropicModelOptions,
  openAnthropicModel,
} from "../loopback/anthropic-model.ts";
export {
  type AnthropicMessage,
  type AnthropicRequest,
  markedPlaces,
} from "../loopback/anthropic-request.ts";
export {
  type LoopbackModel,
  type LoopbackModelOptions,
  openLoopbackModel,
  type Responder,
} from "../loopback/loopback-model.ts";
export {
  estimateTokens,
  type Reply,
  type ScriptedToolCall,
  toolCalls,
} from "../loopback/loopback-reply.ts";
export { type LoopbackServer, openLoopbackServer } from "../loopback/loopback-server.ts";
export {
  type AutomaticCacheOptions,
  automaticPrefixCache,
  type BilledPrompt,
  markedPrefixCache,
  type PrefixCache,
  type PrefixCacheOptions,
  type PromptBlock,
} from "../loopback/prefix-cache.ts";
export {
  type WireBlock,
  type WireMessage,
  type WireRequest,
  wireRequest,
  type WireTool,
  type WireToolCall,
} from "../loopback/wire-request.ts";
export type { LogEntry } from "../models/mind.ts";
export { dropsNewest, type SeenChange, withoutHandles } from "../models/planted.ts";
export {
  openRecordedModel,
  type RecordedModelOptions,
  type RecordedRow,
} from "../models/recorded-model.ts";
export type { TestModel, TestModelApi } from "../models/serve-mind.ts";
export { openTestModel, type TestModelOptions } from "../models/test-model.ts";
