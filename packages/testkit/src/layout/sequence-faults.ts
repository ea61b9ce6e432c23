import { type Block, isText, isToolCall, type ViewMessage } from "@self-context-manager/core";

/**
 * Returns the reasons for which a provider would refuse a sequence of messages. The list is empty for a legal
 * sequence. An opaque message counts as a user message, because its host renders it.
 */
export function sequenceFaults(messages: readonly ViewMessage[]): readonly string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "toolResult") {
      if (open[0] !== message.toolCallId)
        faults.push(`message ${index}: result of ${message.toolCallId} out of place`);
      open = open.filter((id) => id !== message.toolCallId);
    } else if (open.length > 0) {
      faults.push(`message ${index}: ${open.join(", ")} without a result`);
      open = [];
    }
    if (index === 0 && message.role !== "user" && message.role !== "opaque") {
      faults.push(`message 0 is of role ${message.role}`);
    }
    if (message.role === "opaque") continue;
    if (isEmpty(message.content)) faults.push(`message ${index}: empty content`);
    if (message.role === "assistant") open = message.content.filter(isToolCall).map(({ id }) => id);
  }
  if (open.length > 0) faults.push(`at the end: ${open.join(", ")} without a result`);
  return faults;
}

function isEmpty(content: string | readonly Block[]): boolean {
  if (typeof content === "string") return content.trim() === "";
  return content.length === 0 || content.some((block) => isText(block) && block.text.trim() === "");
}
