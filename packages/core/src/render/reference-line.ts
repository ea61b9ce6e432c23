import {
  type JsonValue,
  type ObjectBody,
  type ObjectMetadata,
  oneLine,
  presenceOf,
} from "@self-context-manager/objects";
import type { NamedObject, PoolEntry } from "../view/pool-entry.ts";
import { nameWeight, startOfWeight } from "./name-weight.ts";
import { nameWeights, shortName } from "./short-name.ts";

/**
 * Returns the reference line of a tool's result in the pooled layout: `[t31 ok, 4.1k chars]`, at most 17 tokens. For a
 * context tool the line contains the report. It contains nothing that can change later, so its bytes stay in the cache.
 */
export function resultLine(entry: PoolEntry): string {
  const { body } = entry.stored;
  const status = body["status"] === "fail" ? "failed" : "ok";
  const summary = body["short_summary"];
  if (typeof summary === "string") return `[${entry.handle} ${status}] ${oneLine(summary)}`;
  return `[${entry.handle} ${status}, ${size(body)}]`;
}

/**
 * Returns the reference line of a result whose content left the view: `[t31 ok, 4.1k chars]`. The line is `[t31 ok, no
 * text]` if the result is empty or an image.
 */
export function sizeLine({
  handle,
  stored,
}: {
  readonly handle: string;
  readonly stored: { readonly body: ObjectMetadata | ObjectBody };
}): string {
  const { body } = stored;
  const size = Number(body["char_count"] ?? 0) === 0 ? "no text" : `${short(body)} chars`;
  return `[${handle} ${body["status"] === "fail" ? "failed" : "ok"}, ${size}]`;
}

/** Weight that a metadata line may have without its handle. With the handle the line has at most 17 tokens. */
const lineWeight = 14;

/** Returns an object's metadata line: handle, name, nickname and state; at most 17 tokens. */
export function poolLine(entry: NamedObject, workspace: string): string {
  const { body, version } = entry.stored;
  if (body.view !== undefined) return `${entry.handle} ${viewText(body, body.view)}`;
  const state = stateOf(body, version);
  const room = lineWeight - nameWeight(state);
  const nickname =
    body.nickname === undefined ? "" : ` (${startOfWeight(oneLine(body.nickname), room / 2)})`;
  const name = shortName(workspace, body, room - nameWeight(nickname));
  return `${entry.handle} ${name}${nickname}${state}`;
}

/**
 * Returns the report that a file in view has changed, with its old and its new size: `f2 app.log changed, v1 4.1k chars
 * -> v3 5.2k chars; read it to see v3`.
 */
export function changeLine(before: NamedObject, now: NamedObject, workspace: string): string {
  const name = shortName(workspace, now.stored.body, nameWeights.header);
  const [old, next] = [before, now].map(
    ({ stored }) => `v${stored.version} ${contentSize(stored.body)}`,
  );
  return `${now.handle} ${name} changed, ${old} -> ${next}; read it to see v${now.stored.version}`;
}

function contentSize(body: ObjectMetadata | ObjectBody): string {
  return presenceOf(body) === "present" ? size(body) : `${count(Number(body["size"] ?? 0))}B`;
}

function stateOf(body: ObjectMetadata | ObjectBody, version: number): string {
  if (body.type === "toolcall")
    return body["status"] === "fail" ? ` failed ${short(body)}` : ` ${short(body)}`;
  switch (presenceOf(body)) {
    case "unread":
      return ` unread ${count(Number(body["size"] ?? 0))}B`;
    case "non_text":
      return ` not text ${count(Number(body["size"] ?? 0))}B`;
    case "missing":
      return " deleted";
    case "present":
      return ` ${short(body)}${version > 1 ? ` v${version}` : ""}`;
  }
}

function viewText(body: ObjectMetadata | ObjectBody, view: readonly string[]): string {
  const shown = view.filter((field) => Object.hasOwn(body, field) && field !== "content");
  return oneLine(
    shown
      .map((field) => `${field}=${JSON.stringify(body[field] satisfies JsonValue | undefined)}`)
      .join(" "),
  );
}

function size(body: ObjectMetadata | ObjectBody): string {
  return `${short(body)} chars`;
}

function short(body: ObjectMetadata | ObjectBody): string {
  return count(Number(body["char_count"] ?? 0));
}

/** Returns a number in about four characters: 812, 4.1k, 12k, 3.4M. */
function count(value: number): string {
  if (value < 1_000) return String(value);
  const [unit, letter] = value < 1_000_000 ? [1_000, "k"] : [1_000_000, "M"];
  const scaled = value / unit;
  return `${scaled < 10 ? scaled.toFixed(1).replace(".0", "") : Math.round(scaled)}${letter}`;
}
