export { aiSdkAdapter, aiSdkMiddlewareAdapter } from "./ai-sdk-adapter.ts";
export {
  aiSdkContext,
  type AiSdkContext,
  type AiSdkContextOptions,
  type ContextToolSet,
  type RequestChange,
  type SdkStep,
} from "./ai-sdk-context.ts";
export { sdkSummarizer } from "./sdk-summarizer.ts";
