import type { ListedObject } from "@self-context-manager/core";
import { isReference } from "@self-context-manager/objects";
import type { ScriptedMessage } from "@self-context-manager/testkit";

import type { ForeignSession } from "./foreign-session.ts";
import { tokensIn } from "./foreign-text.ts";
import { callIdOf, type EveryHandle, pathOf } from "./object-names.ts";
import type { ForeignList } from "./other-extension.ts";
import type { SeenTexts } from "./seen-texts.ts";
import { piecesOf } from "./shown-pieces.ts";
import { isShowable, type ShowableText } from "./shown-text.ts";
import type { WatchedFolder } from "./watched-folder.ts";

export interface CheckedRequest {
  readonly view: readonly ScriptedMessage[];
  readonly list: ForeignList;
  /** The request before, with the host's own list at that time. */
  readonly before?: {
    readonly view: readonly ScriptedMessage[];
    readonly own: readonly ScriptedMessage[];
  };
  readonly seen: SeenTexts;
  readonly objects: readonly ListedObject[];
  readonly handles: EveryHandle;
  readonly files: WatchedFolder;
  readonly session: ForeignSession;
}

/** Returns what a request shows although it may not, a sentence each. */
export function checkRequest(request: CheckedRequest): readonly string[] {
  const { view } = request;
  return [
    ...view.flatMap((message) => messageProblems(request, message)),
    ...unseenTokens(request),
    ...droppedTokens(request),
    ...goneProblems(request),
    ...orderProblems(request),
  ];
}

/**
 * Checks that the view has the prompts and answers of the list in the same order. The pooled layout has prompts that the
 * session began without at its end.
 */
function orderProblems({ view, list, session }: CheckedRequest): readonly string[] {
  if (session.settings === "pooled") return [];
  const order = new Map(list.sent.map((message, index) => [saidIn(message), index]));
  const places = view.flatMap((message) => {
    const said = saidIn(message);
    const index = said === undefined ? undefined : order.get(said);
    return index === undefined ? [] : [{ said, index }];
  });
  return places.flatMap(({ said, index }, at) => {
    const before = places[at - 1];
    if (before === undefined || before.index < index) return [];
    return [`the request has ${said} after ${before.said}, unlike the list`];
  });
}

/** Returns what a prompt or an answer says or calls. */
function saidIn(message: ScriptedMessage): string | undefined {
  if (message.kind === "human") return message.text;
  if (message.kind !== "model") return undefined;
  return message.text === "" ? message.calls.map(({ id }) => id).join(" ") : message.text;
}

function messageProblems(request: CheckedRequest, message: ScriptedMessage): readonly string[] {
  const { list, seen } = request;
  switch (message.kind) {
    case "output": {
      const texts = seen.resultsOf(message.callId);
      const isWhole = texts.some((text) => text !== "" && isFollowedByOwn(message.text, text));
      return isWhole ? [] : pieceProblems(request, message.text);
    }
    case "human": {
      const said = [...list.sent, ...list.dropped];
      const isSaid = said.some(({ kind, text }) => kind === "human" && text === message.text);
      return isSaid ? [] : pieceProblems(request, message.text);
    }
    default:
      return [];
  }
}

/** Whether a message is a text, or the text with lines of the context manager after it. */
function isFollowedByOwn(message: string, text: string): boolean {
  if (message === text) return true;
  return (
    message.startsWith(`${text}\n`) &&
    piecesOf(message.slice(text.length + 1)).every(({ type }) => type === "line")
  );
}

function pieceProblems(request: CheckedRequest, message: string): readonly string[] {
  return piecesOf(message).flatMap((piece) => {
    if (piece.type === "line") return [];
    if (piece.type === "foreign") return [`a line is of no result: ${piece.text}`];
    const isFound = isShowable(piece.header, piece.text, showableBehind(request, piece.header));
    return isFound ? [] : [`under ${piece.header} is another text:\n${piece.text}`];
  });
}

/** Returns the texts that may be shown of the object that a header names. */
function showableBehind(
  { objects, seen, files, session }: CheckedRequest,
  header: string,
): readonly ShowableText[] {
  const handle = /^[a-z]+\d+/u.exec(header)?.[0];
  const body = objects.find((object) => object.handle === handle)?.stored.body;
  if (body === undefined) return [];
  if (body.type === "toolcall") {
    const report = body["context_tool"] === true ? body["report"] : undefined;
    const texts = typeof report === "string" ? [report] : [];
    return [...texts, ...seen.resultsOf(callIdOf(body))].map((text) => ({ text, lines: "all" }));
  }
  const path = pathOf(body);
  const shown = seen.fileTexts(path);
  const onDisk = session.activateUnread === "read" ? (files.everOnDisk.get(path) ?? []) : [];
  return [...shown, ...[...onDisk].map((text) => ({ text, lines: "all" as const }))];
}

/** Checks that a request has only words that the model may have seen. */
function unseenTokens({ view, seen, session, files }: CheckedRequest): readonly string[] {
  const onDisk =
    session.activateUnread === "read"
      ? [...files.everOnDisk.values()].flatMap((texts) => [...texts])
      : [];
  const known = new Set([...seen.tokens, ...tokensIn(onDisk.join("\n"))]);
  const unseen = [...tokensIn(JSON.stringify(view))].filter((token) => !known.has(token));
  return unseen.map((token) => `the request shows ${token}, which no result had`);
}

/**
 * Checks that a request has no words that only left out messages have, and no left out call. What the model has written
 * in a left out call is in the file all the same. Words that the last request showed before such a message was there are not
 * from it: an object that was made inactive since can still be in view.
 */
function droppedTokens(request: CheckedRequest): readonly string[] {
  const { view, list, before } = request;
  if (list.dropped.length === 0) return [];
  const kept = tokensIn(JSON.stringify(list.sent));
  const shown = tokensIn(JSON.stringify(view));
  const written = list.dropped.map((message) => (message.kind === "model" ? message.calls : []));
  const held = tokensIn([...heldTexts(request), JSON.stringify(written)].join("\n"));
  const older = new Set(before?.own.map(({ id }) => id));
  const shownBefore = tokensIn(JSON.stringify(before?.view ?? []));
  const words = list.dropped
    .flatMap(({ id, text }) =>
      [...tokensIn(text)].filter((token) => older.has(id) || !shownBefore.has(token)),
    )
    .filter((token) => shown.has(token) && !kept.has(token) && !held.has(token))
    .map((token) => `the request shows ${token}, which only a left out message has`);
  const calls = new Set(callsIn(view));
  const shownCalls = callsIn(list.dropped).filter((call) => calls.has(call));
  return [...words, ...shownCalls.map((call) => `the request shows ${call}, which is left out`)];
}

/** Checks that a message which was added to an earlier request is in that one only. */
function goneProblems({ view, list }: CheckedRequest): readonly string[] {
  const shown = JSON.stringify(view);
  return list.gone
    .filter((text) => shown.includes(text))
    .map((text) => `the request shows "${text}", which was added to an earlier one`);
}

function callsIn(messages: readonly ScriptedMessage[]): readonly string[] {
  return messages.flatMap((message) =>
    message.kind === "model" ? message.calls.map(({ id }) => id) : [],
  );
}

/**
 * Returns the texts of pinned objects and of those that a call asks for which is not left out, or whose result no request
 * had: the session does not know this result. In a session that may read files by itself, an active file is shown with
 * the changes by others.
 */
function heldTexts({
  list,
  objects,
  handles,
  seen,
  files,
  session,
}: CheckedRequest): readonly string[] {
  const unknown = new Set(
    callsIn(list.dropped).filter((callId) => seen.resultsOf(callId).length === 0),
  );
  const sent = new Set(callsIn(list.sent));
  const asked = new Set(
    [...list.sent, ...list.dropped].flatMap((message) =>
      message.kind === "model"
        ? message.calls
            .filter(({ name }) => name === "activate" || name === "pin")
            .filter(({ id }) => sent.has(id) || unknown.has(id))
            .map(({ arguments: { id } }) =>
              typeof id === "string" ? id.replace(/@\d+$/u, "") : id,
            )
        : [],
    ),
  );
  const isNamed = ({ stored: { body } }: ListedObject): boolean =>
    [...handles.of(body)].some((handle) => asked.has(handle));
  // The handle of a call that has read a file means the file.
  const readBy = new Set<unknown>(
    objects.filter(isNamed).flatMap(({ stored: { body } }) => {
      const references = body["file_refs"];
      return Array.isArray(references) ? references.filter(isReference).map(({ id }) => id) : [];
    }),
  );
  return objects.flatMap((object) => {
    const {
      state,
      stored: { body },
    } = object;
    const path = pathOf(body);
    const name = path.slice(files.folder.path.length + 1);
    const isFollowed =
      session.activateUnread === "read" && state === "active" && body.type !== "toolcall";
    const isAsked = isNamed(object) || asked.has(name) || readBy.has(body.id);
    const isHeld = state === "pinned" || isFollowed || isAsked;
    if (!isHeld) return [];
    return body.type === "toolcall"
      ? seen.resultsOf(callIdOf(body))
      : [...(files.everOnDisk.get(path) ?? [])];
  });
}
