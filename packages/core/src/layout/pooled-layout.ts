import type { Layout, LayoutOutput } from "./layout.ts";
import { activePool } from "./active-pool.ts";
import { chatPool } from "./chat-pool.ts";
import { listRoom, metadataPool } from "./metadata-pool.ts";

/**
 * The specification's order, made anew on every call (v0 §21.2): metadata pool, chat with references in the place of
 * outputs, active content, and at the tail which objects are active and pinned (decision D44). The system prompt goes
 * by the host's own channel.
 */
export const pooledLayout: Layout = {
  name: "pooled",
  render(input) {
    const chat = chatPool(input);
    const active = activePool(input, chat.tokens + listRoom(input));
    const pool = metadataPool(input, chat.tokens + active.tokens);
    return {
      messages: [...pool.messages, ...chat.messages, ...active.messages],
      tokens: { metadata: pool.tokens, chat: chat.tokens, active: active.tokens },
      shown: active.shown,
    } satisfies LayoutOutput;
  },
};
