import { isObjectId } from "./object-id.ts";

/** The rule for nicknames, for messages. */
export const nicknameRule =
  "it has 1 to 512 printable characters, begins with none of @ ~ . / -, and is no handle such as f12, nor chat";

/**
 * Whether a text can be a nickname: one that cannot be mistaken for a handle, a path or the chat.
 */
export function isNickname(text: string): boolean {
  return isObjectId(text) && !/^([a-z]\d+|chat)$/u.test(text) && !/^[@~./-]/u.test(text);
}
