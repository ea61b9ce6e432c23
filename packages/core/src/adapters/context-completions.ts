import { composed, isShared } from "@self-context-manager/objects";
import { shortName } from "../render/short-name.ts";
import type { ContextSession, ListedObject } from "../session/context-session.ts";
import { isActive, listedName, listedObjects } from "./listed-objects.ts";

/** A text that can stand for the arguments of the user's command. */
export interface ContextCompletion {
  /** All arguments, with the completed word at their end. */
  readonly value: string;
  /** The completed word. */
  readonly label: string;
  readonly description: string;
}

interface Verb {
  readonly description: string;
  /** The objects that it takes; undefined for a verb without an object. */
  readonly takes?: (object: ListedObject) => boolean;
  /** Whether it takes several objects. */
  readonly isForMany?: boolean;
  /** Words that can follow instead of an object. */
  readonly words?: readonly (readonly [word: string, description: string])[];
}

const verbs: Readonly<Record<string, Verb>> = {
  list: {
    description: "the objects in context and their costs",
    words: [["all", "also those that were not used for long"]],
  },
  show: { description: "print an object", takes: () => true },
  activate: {
    description: "show an object to the model again",
    takes: (object) => !isActive(object),
    isForMany: true,
  },
  deactivate: {
    description: "remove an object from the context",
    takes: (object) => isActive(object),
    isForMany: true,
  },
  pin: {
    description: "keep an object active",
    takes: ({ state }) => state !== "pinned",
    isForMany: true,
  },
  unpin: {
    description: "let the policy decide again",
    takes: ({ state }) => state === "pinned",
    isForMany: true,
  },
  name: { description: "give an object a nickname", takes: () => true },
  note: { description: "write a line that stays with an object", takes: () => true },
  forget: {
    description: "remove an object or a text from the store for good",
    takes: () => true,
    isForMany: true,
    words: [["text", "a text, wherever it is"]],
  },
  share: {
    description: "let agents of all workspaces find an object",
    takes: ({ stored }) => !isShared(stored.body),
    isForMany: true,
  },
  unshare: {
    description: "let only agents of this workspace find it",
    takes: ({ stored }) => isShared(stored.body),
    isForMany: true,
  },
  archive: { description: "close the chat and begin a new one" },
  restore: { description: "activate what the last epoch's end removed" },
  inspect: { description: "see all calls and what they cost in a browser" },
  on: { description: "send managed views to the model" },
  off: { description: "send the host's own messages" },
};

/** The most objects that are offered at once. */
const mostOffered = 50;

/**
 * Returns what the user may mean by the last word of the command's arguments: a verb, or an object by the beginning of its
 * handle or a part of its name. Returns nothing for a word that is complete, because Enter takes an offered word and does
 * not run the command then. Without a session only verbs are completed. Rejects with the error of the session.
 */
export async function contextCompletions(
  args: string,
  session: ContextSession | undefined,
): Promise<readonly ContextCompletion[]> {
  const [, before = "", word = ""] = /^\s*(.*?)(\S*)$/su.exec(args) ?? [];
  const [name, ...others] = before.trim().split(/\s+/u).filter(Boolean);
  if (name === undefined) return matchingVerbs(word);
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) return [];
  const words = others.length === 0 ? matchingWords(verb, word) : [];
  const completed = words.map(([label, description]) => ({
    value: `${before}${label}`,
    label,
    description,
  }));
  // After the first object the user has to begin the next word: the first one is enough for the command.
  const isWanted = others.length === 0 || (verb.isForMany === true && word !== "");
  if (verb.takes === undefined || session === undefined || !isWanted) return completed;
  const { objects } = await session.status();
  const listed = listedObjects(objects).filter(({ handle }) => !others.includes(handle));
  return matching(listed, word, session.workspace)
    .filter(verb.takes)
    .slice(0, mostOffered)
    .map((object) => ({
      value: `${before}${object.handle}`,
      label: object.handle,
      description: `${object.state}  ${listedName(object, session.workspace)}`,
    }));
}

function matchingVerbs(word: string): readonly ContextCompletion[] {
  if (Object.hasOwn(verbs, word)) return [];
  return Object.entries(verbs)
    .filter(([name]) => name.startsWith(word))
    .map(([name, { description, takes }]) => ({
      value: takes === undefined ? name : `${name} `,
      label: name,
      description,
    }));
}

function matchingWords({ words = [] }: Verb, word: string): NonNullable<Verb["words"]> {
  return words.filter(([one]) => one.startsWith(word) && one !== word);
}

/** Returns the objects that a word can mean: by their handles first, then by their names. */
function matching(
  objects: readonly ListedObject[],
  word: string,
  workspace: string,
): readonly ListedObject[] {
  if (word === "") return objects;
  const part = compared(word);
  const byHandle: ListedObject[] = [];
  const byName: ListedObject[] = [];
  for (const object of objects) {
    const { body } = object.stored;
    const whole = [object.handle, body.nickname, shortName(workspace, body)];
    if (whole.includes(word)) return [];
    const name = listedName(object, workspace);
    if (object.handle.startsWith(part)) byHandle.push(object);
    else if (compared(name).includes(part)) byName.push(object);
  }
  return [...byHandle, ...byName];
}

function compared(text: string): string {
  return composed(text).toLowerCase();
}
