export { openClawAdapter } from "./openclaw-adapter.ts";
export { openClawCodec, openClawMessage } from "./openclaw-messages.ts";
export { openClawSummarizer } from "./openclaw-summarizer.ts";
