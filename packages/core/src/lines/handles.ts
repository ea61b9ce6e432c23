import type { Slot } from "./line-kind.ts";

/** The first letter of the handles of each object type. */
const letters: Readonly<Record<string, string>> = {
  file: "f",
  toolcall: "t",
  note: "n",
  chat: "c",
  system_prompt: "s",
  session: "e",
  user: "u",
  view: "v",
};

/** The first letter of the handles of all other object types. */
const otherLetter = "o";

/** Returns the first letter of the handles of an object type. */
export function handleLetter(type: string): string {
  return letters[type] ?? otherLetter;
}

/** Whether the handles of an object type have a letter of their own, which shows the type. */
export function hasOwnLetter(type: string): boolean {
  return Object.hasOwn(letters, type);
}

/** The name of the chat in views. The chat has no handle. */
export const chatHandle = "chat";

/** The handle of an object. */
export const handle: Slot<string> = {
  name: "HANDLE",
  pattern: `[${Object.values(letters).join("")}${otherLetter}]\\d+`,
  write: String,
};

/** A name that `activate` accepts for an object in every session: its handle, or the name of the chat. */
export const target: Slot<string> = {
  name: "HANDLE",
  pattern: `(?:${chatHandle}|${handle.pattern})`,
  write: String,
};

/** The handles of several objects, with a text between them. */
export function handles(between: string): Slot<readonly string[]> {
  const { pattern } = handle;
  return {
    name: "HANDLES",
    pattern: `${pattern}(?:${between}${pattern})*`,
    write: (all) => all.join(between),
  };
}

/** The handle of a tool call. */
export const callHandle: Slot<string> = {
  name: "HANDLE",
  pattern: `${handleLetter("toolcall")}\\d+`,
  write: String,
};
