import type { NoteAuthor } from "../render/object-note.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { ToolAnswer } from "./answers.ts";
import {
  activate,
  deactivate,
  type GivenNote,
  loadInactive,
  pin,
  showField,
  unpin,
} from "./change-activation.ts";
import type { CallOptions, ContextSession, DeactivateOptions } from "./context-session.ts";
import { findObjects, type FindRequest } from "./find-objects.ts";
import { hidden } from "./hidden-text.ts";
import { inspectObject, nameObject, noteObject, shareObject } from "./inspect-object.ts";

/** The operations of a session that name an object or find some. */
type ObjectOperations = Pick<
  ContextSession,
  | "activate"
  | "deactivate"
  | "pin"
  | "unpin"
  | "showField"
  | "find"
  | "load"
  | "inspect"
  | "name"
  | "share"
  | "note"
>;

/** How a session runs an operation on its scope. */
interface Runner {
  readonly run: <Result>(
    operation: (scope: SessionScope) => Promise<Result>,
    changes?: boolean,
  ) => Promise<Result>;
  readonly answer: (
    operation: (scope: SessionScope) => Promise<ToolAnswer>,
    options?: CallOptions,
  ) => Promise<ToolAnswer>;
}

/** Returns the operations of a session on objects that are named or found. */
export function objectOperations({ run, answer }: Runner): ObjectOperations {
  return {
    activate: async (target, range, options) =>
      await answer((current) => activate(by(current, options), target, range), options),
    deactivate: async (target, options = {}) =>
      await answer(
        (current) => deactivate(by(current, options), target, noteIn(current, options)),
        options,
      ),
    pin: async (target, options) =>
      await answer((current) => pin(by(current, options), target), options),
    unpin: async (target, options) =>
      await answer((current) => unpin(by(current, options), target), options),
    showField: async (target, field, options) =>
      await answer((current) => showField(by(current, options), target, field), options),
    find: async (request, options) =>
      await answer((current) => findObjects(current, hiddenWords(current, request)), options),
    load: async (target) => await answer((current) => loadInactive(by(current), target)),
    inspect: async (target) =>
      await run(async (current) => await inspectObject(by(current), target), false),
    name: async (target, nickname) =>
      await answer((current) => nameObject(by(current), target, hidden(current, nickname))),
    share: async (target, isShared = true) =>
      await answer((current) => shareObject(by(current), target, isShared)),
    note: async (target, text, options = {}) =>
      await answer(
        (current) =>
          noteObject(by(current, options), target, hidden(current, text), authorOf(options)),
        options,
      ),
  };
}

/** Returns the scope of an operation. The user names any object of the store, the model those within its reach (decision D68). */
function by(scope: SessionScope, { callId }: CallOptions = {}): SessionScope {
  return callId === undefined ? { ...scope, findIn: "store" } : scope;
}

/** Returns the note that a deactivation writes. */
function noteIn(
  scope: SessionScope,
  { note, ...options }: DeactivateOptions,
): GivenNote | undefined {
  return note === undefined ? undefined : { text: hidden(scope, note), by: authorOf(options) };
}

function authorOf({ callId }: CallOptions): NoteAuthor {
  return callId === undefined ? "user" : "model";
}

function hiddenWords(scope: SessionScope, { words, ...request }: FindRequest): FindRequest {
  return words === undefined ? request : { ...request, words: hidden(scope, words) };
}
