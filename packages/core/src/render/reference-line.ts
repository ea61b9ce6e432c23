import {
  type JsonValue,
  type ObjectBody,
  type ObjectMetadata,
  oneLine,
  presenceOf,
} from "@self-context-manager/objects";
import type { NamedObject, PoolEntry } from "../view/pool-entry.ts";
import { nameWeight, startOfWeight } from "./name-weight.ts";
import { shortName } from "./short-name.ts";

/**
 * What stands in the chat for a tool's result: `[t31 ok, 4.1k chars]`, at most 17 tokens, and for our own tools their
 * report (specification v0 §19, decision D45). It says nothing that changes later.
 */
export function resultLine(entry: PoolEntry): string {
  const { body } = entry.stored;
  const status = body["status"] === "fail" ? "failed" : "ok";
  const summary = body["short_summary"];
  if (typeof summary === "string") return `[${entry.handle} ${status}] ${oneLine(summary)}`;
  return `[${entry.handle} ${status}, ${size(body)}]`;
}

/**
 * A tool's result by its size alone, `[t31 ok, 4.1k chars]`: what is left of one whose content has left the view.
 * `[t31 ok, no text]` where it is empty or an image.
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

/** What a line of the metadata pool may weigh without its handle; with it the line has at most 17 tokens. */
const lineWeight = 14;

/** An object's line in the metadata pool: handle, name, and what else says something; at most 17 tokens. */
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

function size(body: ObjectMetadata): string {
  return `${short(body)} chars`;
}

function short(body: ObjectMetadata | ObjectBody): string {
  return count(Number(body["char_count"] ?? 0));
}

/** A number in at most four characters or so: 812, 4.1k, 12k, 3.4M. */
function count(value: number): string {
  if (value < 1_000) return String(value);
  const [unit, letter] = value < 1_000_000 ? [1_000, "k"] : [1_000_000, "M"];
  const scaled = value / unit;
  return `${scaled < 10 ? scaled.toFixed(1).replace(".0", "") : Math.round(scaled)}${letter}`;
}
