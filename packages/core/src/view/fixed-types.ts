/**
 * Types whose shown content stays unchanged: tool outputs and texts of the user never change, and lines of the chat are
 * shown as they were requested.
 */
export const fixedTypes: ReadonlySet<string> = new Set(["toolcall", "chat", "user"]);
