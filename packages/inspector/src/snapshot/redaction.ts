import { createHmac, randomBytes } from "node:crypto";

import {
  defined,
  type ObjectBody,
  type ObjectId,
  type ObjectMetadata,
} from "@self-context-manager/objects";
import type {
  DescribedEntry,
  SessionTimeline,
  SummaryCosts,
  TimelineCall,
  ViewDifference,
} from "@self-context-manager/core/inspect";

import type {
  CallAnswer,
  GraphAnswer,
  MetadataLine,
  NamedObject,
  ObjectAnswer,
  SessionRow,
  VersionAnswer,
  VersionRow,
} from "../answers.ts";
import { redactMessage } from "./redact-message.ts";
import { redactedHostId, redactedMiss } from "./redact-miss.ts";
import { hasManyWords, keptWord, removedText } from "./removed-text.ts";

/**
 * Removes all texts from answers. Each answer is made again from the fields that are known to be safe, so a new field is
 * removed until somebody decides about it.
 */
export interface Redaction {
  /** The name of an object without texts that somebody wrote: the path of a file, the tool of a call, else the type. */
  readonly nameOf: (body: ObjectBody | ObjectMetadata, workspace: string) => string;
  /** A hash by which equal texts can be seen to be equal, and by which nobody can check a guess. */
  readonly hash: (hash: string) => string;
  readonly session: (row: SessionRow) => SessionRow;
  readonly timeline: (
    timeline: SessionTimeline,
    names: ReadonlyMap<ObjectId, string>,
  ) => SessionTimeline;
  readonly call: (answer: CallAnswer) => CallAnswer;
  readonly object: (answer: ObjectAnswer) => ObjectAnswer;
  /** `name`: the name of the object, made by `nameOf`. */
  readonly version: (answer: VersionAnswer, name?: string) => VersionAnswer;
  readonly graph: (answer: GraphAnswer) => GraphAnswer;
}

export function redaction(): Redaction {
  const key = randomBytes(32);
  const hash = (text: string): string =>
    text === "" ? "" : createHmac("sha256", key).update(text).digest("hex");
  /** The redacted messages by their hashes: most messages are in many calls. */
  const messages = new Map<string, string>();
  const messageOf = (message: string, json: string): string => {
    const known = messages.get(message) ?? redactMessage(json);
    messages.set(message, known);
    return known;
  };
  const versionRow = (row: VersionRow): VersionRow => ({
    ...pick(row, "version", "at", "transaction"),
    generator: keptWord(row.generator),
    ...defined({ characters: row.characters }),
    contentHash: hash(row.contentHash),
    metadataViewHash: hash(row.metadataViewHash),
    objectHash: hash(row.objectHash),
  });
  return {
    nameOf,
    hash,
    session: (row) => ({
      id: row.id,
      harness: keptWord(row.harness),
      hostId: redactedHostId(row.harness, row.firstAt),
      ...pick(row, "firstAt", "lastAt", "calls", "tokens", "cost", "reported"),
      ...defined({ summaries: summaryCosts(row.summaries), ...problemOf(row) }),
    }),
    timeline: ({ parts, calls, calibration }, names) => ({
      parts: parts.map(({ kind, handle, id }) => ({
        kind,
        ...(handle === undefined ? {} : { handle: keptWord(handle) }),
        ...defined({ id }),
        name: (id === undefined ? undefined : names.get(id)) ?? kind,
      })),
      calls: calls.map(timelineCall),
      calibration: pick(calibration, "factor", "overhead"),
    }),
    call: (answer) => ({
      ...pick(answer, "session", "call", "at"),
      layout: keptWord(answer.layout),
      tokens: answer.tokens,
      ...epochOf(answer),
      ...(answer.payloadHash === undefined ? {} : { payloadHash: hash(answer.payloadHash) }),
      isVerified: answer.isVerified,
      problems: answer.problems.map((problem) => ({
        text: removedText(problem.text),
        ...pick(problem, "id", "version"),
      })),
      systemPrompts: answer.systemPrompts.map((prompt) => ({
        origin: keptWord(prompt.origin),
        ...pick(prompt, "id", "version"),
        text: removedText(prompt.text),
        isShared: prompt.isShared,
      })),
      messages: answer.messages.map((message) => ({
        hash: hash(message.hash),
        isShared: message.isShared,
        ...(message.json === undefined ? {} : { json: messageOf(message.hash, message.json) }),
        ...(message.entry === undefined ? {} : { entry: entryOf(message.entry) }),
        parts: message.parts.map(({ id, handle, version }) => ({
          ...defined({ id }),
          handle: keptWord(handle),
          version,
        })),
        ...defined({ isDamaged: message.isDamaged }),
      })),
      ...(answer.difference === undefined ? {} : { difference: differenceOf(answer.difference) }),
    }),
    object: (answer) => ({
      ...named(answer),
      version: answer.version,
      ...(answer.nickname === undefined ? {} : { nickname: removedText(answer.nickname) }),
      metadata: answer.metadata.map((line) => metadataLine(line, answer.type, hash, answer.name)),
      versions: answer.versions.map(versionRow),
      inView: answer.inView.map(({ session, sessionName, calls, handle, runs }) => ({
        session,
        sessionName,
        calls,
        handle: keptWord(handle),
        runs: runs.map((run) => pick(run, "from", "to", "version")),
      })),
      references: answer.references.map((one) => ({ ...named(one), path: keptWord(one.path) })),
      referrers: answer.referrers.map((one) => ({ ...named(one), path: keptWord(one.path) })),
      links: answer.links.map(({ text, relation, to, isAmbiguous }) => ({
        text: removedText(text),
        ...(relation === undefined ? {} : { relation: keptWord(relation) }),
        ...(to === undefined ? {} : { to: named(to) }),
        ...defined({ isAmbiguous }),
      })),
      backlinks: answer.backlinks.map((one) => ({
        ...named(one),
        ...(one.relation === undefined ? {} : { relation: keptWord(one.relation) }),
      })),
      ...problemOf(answer),
    }),
    version: (answer, name) => ({
      id: answer.id,
      version: answer.version,
      type: keptWord(answer.type),
      ...(answer.mediaType === undefined ? {} : { mediaType: keptWord(answer.mediaType) }),
      metadata: answer.metadata.map((line) => metadataLine(line, answer.type, hash, name)),
      content: answer.content === null ? null : removedText(answer.content),
      fields: answer.fields.map(({ name, json }) => ({
        name: keptWord(name),
        json: JSON.stringify(removedText(json)),
      })),
      isVerified: answer.isVerified,
      ...problemOf(answer),
    }),
    graph: ({ nodes, edges, isCut }) => ({
      nodes: nodes.map((node) => ({ ...named(node), distance: node.distance })),
      edges: edges.map((edge) => ({
        ...pick(edge, "from", "to"),
        relation: keptWord(edge.relation),
        kind: edge.kind,
      })),
      isCut,
    }),
  };
}

function nameOf(body: ObjectBody | ObjectMetadata, workspace: string): string {
  const { type } = body;
  if (type === "toolcall") return keptWord(textIn(body["tool"]));
  if (type === "session") return keptWord(textIn(body["harness"]));
  if (type !== "file") return keptWord(type);
  return fileName(textIn(body["path"] ?? body.provenance.origin), workspace);
}

/**
 * The end of a file's path below the workspace, with so many folders that it is no long run of words. Of a file elsewhere only
 * its name, because folders can be named after people.
 */
function fileName(path: string, workspace: string): string {
  const base = workspace.endsWith("/") ? workspace : `${workspace}/`;
  const isInside = workspace !== "" && path.startsWith(base);
  const folders = (isInside ? path.slice(base.length) : path).split(/[/\\]/u);
  let name = folders.pop() ?? "";
  if (hasManyWords(name)) return removedText(name);
  if (!isInside) return name;
  for (const folder of folders.toReversed()) {
    if (hasManyWords(`${folder}/${name}`)) return `…/${name}`;
    name = `${folder}/${name}`;
  }
  return name;
}

/** The objects of answers have names that `nameOf` made. */
function named({ id, type, name }: NamedObject): NamedObject {
  return { id, type: keptWord(type), name };
}

/** Fields of metadata whose values are numbers, yes or no, or one of few words. */
const keptFields: ReadonlySet<string> = new Set([
  "id",
  "type",
  "locked",
  "char_count",
  "size",
  "file_type",
  "presence",
  "status",
  "tool",
  "harness",
  "layout",
]);

function metadataLine(
  [field, value]: MetadataLine,
  type: string,
  hash: Redaction["hash"],
  name?: string,
): MetadataLine {
  if (keptFields.has(field)) return [field, keptWord(value)];
  if (field === "path" && type === "file" && name !== undefined) return [field, name];
  if (field.endsWith("_hash")) return [keptWord(field), hash(value)];
  return [keptWord(field), removedText(value)];
}

function timelineCall(call: TimelineCall): TimelineCall {
  const { cost, usage } = call;
  const miss = redactedMiss(call);
  return {
    call: call.call,
    at: call.at,
    layout: keptWord(call.layout),
    tokens: call.tokens,
    ...epochOf(call),
    ...defined({ sentAt: call.sentAt }),
    ...(call.model === undefined ? {} : { model: keptWord(call.model) }),
    ...defined({ messages: call.messages }),
    changes: call.changes.map(([part, tokens]) => [part, tokens]),
    shared: call.shared,
    repeated: call.repeated,
    ...defined({
      cost: cost && pick(cost, "cached", "fresh", "units", "plainUnits"),
      usage: usage && pick(usage, "input", "cacheRead", "cacheWrite"),
    }),
    ...defined({ reportedUnits: call.reportedUnits, miss }),
    ...problemOf(call),
  };
}

function epochOf({ epoch }: Pick<CallAnswer, "epoch">): Pick<CallAnswer, "epoch"> {
  if (epoch === undefined) return {};
  const { number, call, endedBy, left } = epoch;
  return {
    epoch: {
      number,
      call,
      ...(endedBy === undefined || keptWord(endedBy) !== endedBy ? {} : { endedBy }),
      left: left.map(keptWord),
    },
  };
}

/** Its words are those of the context manager. */
function entryOf(entry: Omit<DescribedEntry, "versions">): Omit<DescribedEntry, "versions"> {
  return pick(entry, "what", "place", "how", "tokens");
}

function describedEntry(entry: DescribedEntry): DescribedEntry {
  return {
    ...entryOf(entry),
    versions: entry.versions.map(({ handle, version }) => ({ handle: keptWord(handle), version })),
  };
}

function differenceOf(difference: ViewDifference): ViewDifference {
  const { type, sharedMessages, first, versions, gone, added, systemPrompts } = difference;
  return {
    type,
    sharedMessages,
    ...(first === undefined
      ? {}
      : {
          first: {
            ...pick(first, "message", "byte", "offset"),
            before: removedText(first.before),
            after: removedText(first.after),
            ...(first.entries === undefined
              ? {}
              : {
                  entries: {
                    before: describedEntry(first.entries.before),
                    after: describedEntry(first.entries.after),
                  },
                }),
          },
        }),
    versions: versions.map(({ handle, from, to }) => ({ handle: keptWord(handle), from, to })),
    gone: gone.map(keptWord),
    added: added.map(keptWord),
    systemPrompts: systemPrompts.map(keptWord),
  };
}

function problemOf({ problem }: { readonly problem?: string }): { readonly problem?: string } {
  return problem === undefined ? {} : { problem: removedText(problem) };
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns these fields of a value, as far as it has them. */
function pick<Value extends object, Field extends keyof Value>(
  value: Value,
  ...fields: readonly Field[]
): Pick<Value, Field> {
  const kept = fields.filter((field) => Object.hasOwn(value, field));
  return Object.fromEntries(kept.map((field) => [field, value[field]])) as Pick<Value, Field>;
}

function summaryCosts(costs: SummaryCosts | undefined): SummaryCosts | undefined {
  if (costs === undefined) return undefined;
  return {
    ...pick(costs, "turns", "calls", "input", "output", "cost"),
    ...(costs.model === undefined ? {} : { model: keptWord(costs.model) }),
  };
}
