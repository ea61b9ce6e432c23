import { type Block, isText } from "../chat/message.ts";
import { partNotShown } from "../lines/notices.ts";

/** Returns a user's message as one text, of which a part can be shown. A line replaces each part that is no text. */
export function userText(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => (isText(block) ? block.text : partNotShown.write(block.type)))
    .join("\n");
}
