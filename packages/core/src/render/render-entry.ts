import {
  defined,
  lineCount,
  linesOf,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { type Block, isText, textOf } from "../chat/message.ts";
import { withoutAllThinking, withoutSignedThinking } from "../chat/signed-thinking.ts";
import { callsOf, isAssistantStep, sentIdsOf, type Step, withSentIds } from "../chat/turn.ts";
import { omissionNotices } from "../lines/notices.ts";
import {
  headers,
  linkedObjects,
  manyChanges,
  referenceLines,
  titles,
} from "../lines/object-lines.ts";
import { omissionMarks } from "../lines/stand-ins.ts";
import type { ViewMessage } from "../view/layout.ts";
import {
  type AssistantEntry,
  hasLeft,
  isCounted,
  type ObjectEntry,
  type ResultEntry,
  type ShownPart,
  type UserEntry,
  type ViewEntry,
} from "../view/view-entry.ts";
import type { NamedVersion, ViewSource } from "../view/view-source.ts";
import { stubbedArguments } from "./argument-stubs.ts";
import { blockHeader, fenced } from "./content-block.ts";
import { textOfEnds } from "./head-and-tail.ts";
import { withoutLeftParts } from "./left-user-parts.ts";
import { changeLine, poolLine, sizeLine, statusOf } from "./reference-line.ts";
import { noResult, replacingMessage, shownAnswer, timeOf, withoutEmpty } from "./step-content.ts";
import { textDifference } from "./text-difference.ts";
import { userText } from "./user-text.ts";

/**
 * Returns the message that an entry describes. Throws `RangeError` that names the object or the place in the chat which
 * the source does not have.
 */
export function renderEntry(entry: ViewEntry, source: ViewSource): ViewMessage {
  switch (entry.type) {
    case "user":
      return userMessage(entry, source);
    case "assistant":
      return assistantMessage(entry, source);
    case "opaque": {
      const step = stepAt(source, entry.turn, entry.step);
      if (isAssistantStep(step)) throw misplaced(entry.turn, entry.step);
      return { role: "opaque", kind: step.kind, raw: step.opaque, ...timeOf(step.timestamp) };
    }
    case "summary": {
      const replacing = source.compaction?.messages[entry.at ?? 0];
      if (replacing === undefined) throw new RangeError("the chat has no such summary");
      return replacingMessage(replacing.message);
    }
    case "result":
      return resultMessage(entry, source);
    case "object":
      return {
        role: "user",
        content: [
          ...objectBlocks(entry, source),
          ...linkedBlocks(entry, source),
          ...countBlocks(entry),
        ],
      };
    case "added":
      return entry.message as ViewMessage;
    case "notice":
      return { role: "user", content: [{ type: "text", text: entry.text }] };
  }
}

function objectBlocks({ shows }: ObjectEntry, source: ViewSource): readonly Block[] {
  return shows
    .filter((part) => !isCounted(part) && part.form !== "linked" && part.form !== "linking")
    .flatMap((part) => partBlocks(part, source));
}

function linkedBlocks({ shows }: ObjectEntry, source: ViewSource): readonly Block[] {
  const lines = shows
    .filter(({ form }) => form === "linked")
    .map(({ of, version }) => lineOf(named(source, of, version), source));
  const document = shows.find(({ form }) => form === "linking");
  return lines.length === 0 || document === undefined
    ? []
    : [text(linkedObjects.write(document.of, lines))];
}

function countBlocks({ shows }: ObjectEntry): readonly Block[] {
  const count = (form: ShownPart["form"]): number =>
    shows.filter((part) => part.form === form).length;
  const [edited, moved, deleted] = [
    count("counted-edit"),
    count("counted-move"),
    count("counted-deletion"),
  ];
  const all = edited + moved + deleted;
  return all === 0 ? [] : [text(manyChanges.write(all, { edited, moved, deleted }))];
}

function userMessage(
  { turn, head, files, parts = [] }: UserEntry,
  source: ViewSource,
): ViewMessage {
  const found = source.turns[turn];
  if (found === undefined || found.user === null) throw misplaced(turn, -1);
  if (parts.some(hasLeft)) {
    const content = withoutEmpty(withoutLeftParts(found.user, parts));
    return { role: "user", content, ...timeOf(found.timestamp) };
  }
  const content = withoutEmpty(found.user);
  if (head === undefined) {
    const meta = defined({ meta: found.user_meta });
    return { role: "user", content, ...meta, ...timeOf(found.timestamp) };
  }
  const text = files === undefined ? userText(content) : textOf(content);
  const omitted = text.length - head;
  const shown = text.slice(0, head).toWellFormed();
  const kept = files === undefined || typeof content === "string" ? [] : filesOf(content);
  // Without an omitted character, only files are missing. A line in the text says so.
  const mark =
    omitted > 0
      ? omissionMarks.message.write(omitted, source.chatHandle)
      : omissionNotices.others.write(source.chatHandle);
  return { role: "user", content: [{ type: "text", text: `${shown}\n${mark}` }, ...kept] };
}

function assistantMessage(entry: AssistantEntry, source: ViewSource): ViewMessage {
  const step = stepAt(source, entry.turn, entry.step);
  if (!isAssistantStep(step)) throw misplaced(entry.turn, entry.step);
  const { timestamp, ...meta } = step.assistant_meta;
  const said = shownAnswer(withSentIds(step).assistant);
  const kept = withThinkingOf(entry, said);
  const content = entry.stubs === undefined ? kept : stubbedArguments(kept, entry.stubs);
  return {
    role: "assistant",
    content: entry.fold === undefined ? content : [text(entry.fold.text), ...content],
    meta,
    ...(typeof timestamp === "number" ? { timestamp } : {}),
  };
}

function withThinkingOf({ thinking }: AssistantEntry, said: readonly Block[]): readonly Block[] {
  if (thinking === undefined) return said;
  return thinking === "left-out" ? withoutSignedThinking(said) : withoutAllThinking(said);
}

function resultMessage(entry: ResultEntry, source: ViewSource): ViewMessage {
  const step = stepAt(source, entry.turn, entry.step);
  const call = callsOf(step)[entry.call];
  const id = sentIdsOf(step)[entry.call];
  if (call === undefined || id === undefined || !isAssistantStep(step))
    throw misplaced(entry.turn, entry.step);
  const base = { role: "toolResult" as const, toolCallId: id, toolName: call.name };
  if (entry.of === undefined) {
    const asked = step.assistant_meta["timestamp"];
    return {
      ...base,
      content: [{ type: "text", text: noResult }],
      isError: true,
      ...(typeof asked === "number" ? { timestamp: asked } : {}),
    };
  }
  const object = named(source, entry.of, entry.version ?? 1);
  const { body } = object.stored;
  const recorded = body["timestamp"];
  return {
    ...base,
    content: resultContent(entry, object, source),
    isError: body["is_error"] === true,
    ...(typeof recorded === "number" ? { timestamp: recorded } : {}),
  };
}

function resultContent(
  entry: ResultEntry,
  object: NamedVersion,
  source: ViewSource,
): readonly Block[] {
  if (entry.form === "reference") return [text(sizeLine(object))];
  const blocks =
    entry.form === "bare"
      ? bareBlocks(object)
      : (entry.shows ?? []).flatMap((part) => partBlocks(part, source));
  if (entry.replaces === undefined) return blocks;
  const { of, version, above } = entry.replaces;
  return [...blocks, text(referenceLines.replaces.write(of, version, above))];
}

/** Returns the blocks of a result in its original form. */
function bareBlocks({ stored, handle }: NamedVersion): readonly Block[] {
  const { context_tool: isContextTool, report } = stored.body;
  if (isContextTool === true && typeof report === "string") return [text(report)];
  const body = contentOf(stored, handle);
  const blocks = body["blocks"];
  const kept = Array.isArray(blocks)
    ? (withoutEmpty(blocks as readonly Block[]) as readonly Block[])
    : [];
  const content = body.content;
  if (kept.length > 0) return kept;
  return content === null || content.trim() === ""
    ? [text(referenceLines.resultWithoutOutput.write(handle, statusOf(stored.body)))]
    : [text(content)];
}

function partBlocks(part: ShownPart, source: ViewSource): readonly Block[] {
  const object = named(source, part.of, part.version);
  const { handle, stored } = object;
  if (part.form === "line") {
    const line = lineOf(object, source);
    return [
      text(
        part.forBudget === true
          ? referenceLines.withoutRoom.write(line, handle)
          : referenceLines.metadata.write(line),
      ),
    ];
  }
  if (part.form === "change") {
    const before = named(source, part.of, part.since ?? 1);
    return [text(changeLine(before, object, source.workspace))];
  }
  const header = headerOf(object, source);
  if (part.form === "above") return [text(aboveLine(header, part))];
  const body = contentOf(stored, handle);
  const content = body.content ?? "";
  const files = filesOf(body["blocks"]);
  if (body.content === null && files.length > 0) return [text(header), ...files];
  switch (part.form) {
    case "whole":
      return [text(`${header}\n${fenced(content)}`), ...files];
    case "lines": {
      const range = { from: part.from ?? 1, to: part.to ?? lineCount(content) };
      const isShort = part.forBudget === true;
      const title = headers.lines.write(header, range.from, range.to, lineCount(content), isShort);
      return [text(`${title}\n${fenced(linesOf(content, range))}`)];
    }
    case "diff": {
      const since = part.since ?? part.version - 1;
      const before = contentOf(named(source, handle, since).stored, handle).content ?? "";
      const { patch, added, removed } = textDifference(before, content);
      const title = headers.difference.write(header, since, added, removed);
      return [text(patch === "" ? title : `${title}\n${fenced(patch)}`)];
    }
    // Only an object entry has such parts, and they are not rendered one by one.
    case "linking":
    case "linked":
    case "counted-edit":
    case "counted-move":
    case "counted-deletion":
      return [];
    case "part": {
      const ends = { head: part.head ?? 0, tail: part.tail ?? 0 };
      const mark =
        part.forBudget === true ? omissionMarks.contentWithoutRoom : omissionMarks.content;
      const markOf = (omitted: number): string => mark.write(omitted, handle);
      return [text(`${header}\n${fenced(textOfEnds(content, ends, markOf))}`), ...files];
    }
  }
}

function aboveLine(header: string, { of, from, to, forBudget }: ShownPart): string {
  if (forBudget === true) return headers.unchangedPart.write(header, of);
  return from === undefined || to === undefined
    ? headers.unchanged.write(header)
    : headers.unchangedLines.write(header, from, to);
}

function headerOf({ id, handle, stored }: NamedVersion, { workspace }: ViewSource): string {
  if (stored.body.type === "toolcall") return titles.result.write(handle, statusOf(stored.body));
  return blockHeader({ id, handle, stored }, workspace, undefined, 0);
}

function lineOf({ id, handle, stored }: NamedVersion, { workspace }: ViewSource): string {
  return poolLine({ id, handle, stored }, workspace);
}

function contentOf(
  stored: StoredVersion | StoredMetadata,
  handle: string,
): { readonly content: string | null; readonly [field: string]: unknown } {
  const { content } = stored.body;
  if (content === undefined)
    throw new RangeError(`the content of ${handle} version ${stored.version} is not loaded`);
  return { ...stored.body, content };
}

/** Returns the blocks of an output that are not text: images and other files. */
function filesOf(blocks: unknown): readonly Block[] {
  return Array.isArray(blocks) ? (blocks as readonly Block[]).filter((one) => !isText(one)) : [];
}

function named(source: ViewSource, handle: string, version: number): NamedVersion {
  const found = source.object(handle, version);
  if (found === undefined)
    throw new RangeError(
      `${handle} version ${version}, which the view shows, cannot be read from the store`,
    );
  return found;
}

function stepAt({ turns }: ViewSource, turn: number, step: number): Step {
  const found = turns[turn]?.steps[step];
  if (found === undefined) throw misplaced(turn, step);
  return found;
}

function misplaced(turn: number, step: number): RangeError {
  return new RangeError(`the chat has no such message as turn ${turn + 1}, step ${step + 1}`);
}

function text(content: string): Block {
  return { type: "text", text: content };
}
