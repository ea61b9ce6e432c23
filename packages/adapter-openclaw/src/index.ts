export { openClawAdapter } from "./openclaw-adapter.ts";
export type { OpenClawApi } from "./openclaw-api.ts";
export { openClawCodec, openClawMessage } from "./openclaw-messages.ts";
export { openClawPlugin } from "./openclaw-plugin.ts";
export { openClawRuntime } from "./openclaw-runtime.ts";
