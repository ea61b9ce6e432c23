import {
  type JsonValue,
  type ObjectBody,
  type ObjectMetadata,
  oneLine,
  presenceOf,
} from "@self-context-manager/objects";
import {
  type Amount,
  type CallStatus,
  metadataLines,
  referenceLines,
  states,
} from "../lines/object-lines.ts";
import type { NamedObject, PoolEntry } from "../view/pool-entry.ts";
import { nameWeight, startOfWeight } from "./name-weight.ts";
import { nameWeights, shortName } from "./short-name.ts";

/**
 * Returns the reference line of a tool's result in the pooled layout: `[t31 ok, 4.1k chars]`, at most 17 tokens. For a
 * context tool the line contains the report. It contains nothing that can change later, so its bytes stay in the cache.
 */
export function resultLine({ handle, stored: { body } }: PoolEntry): string {
  const summary = body["short_summary"];
  return typeof summary === "string"
    ? referenceLines.report.write(handle, statusOf(body), summary)
    : referenceLines.result.write(handle, statusOf(body), charCount(body));
}

/**
 * Returns the reference line of a result whose content left the view: `[t31 ok, 4.1k chars]`. The line is `[t31 ok, no
 * text]` if the result is empty or an image.
 */
export function sizeLine({
  handle,
  stored: { body },
}: {
  readonly handle: string;
  readonly stored: { readonly body: ObjectMetadata | ObjectBody };
}): string {
  return charCount(body) === 0
    ? referenceLines.resultWithoutText.write(handle, statusOf(body))
    : referenceLines.result.write(handle, statusOf(body), charCount(body));
}

/** Returns how a tool call ended. */
export function statusOf(body: ObjectMetadata | ObjectBody): CallStatus {
  return body["status"] === "fail" ? "failed" : "ok";
}

/** Weight that a metadata line may have without its handle. With the handle the line has at most 17 tokens. */
const lineWeight = 14;

/** Returns an object's metadata line: handle, name, nickname and state; at most 17 tokens. */
export function poolLine(entry: NamedObject, workspace: string): string {
  const { body, version } = entry.stored;
  if (body.view !== undefined)
    return metadataLines.ownFields.write(entry.handle, viewText(body, body.view));
  const state = stateOf(body, version);
  const room = lineWeight - nameWeight(` ${state}`);
  const nickname =
    body.nickname === undefined ? "" : ` (${startOfWeight(oneLine(body.nickname), room / 2)})`;
  const name = shortName(workspace, body, room - nameWeight(nickname));
  return metadataLines.usual.write(entry.handle, `${name}${nickname}`, state);
}

/**
 * Returns the report that a file in view has changed, with its old and its new size: `[f2 app.log changed, v1 4.1k
 * chars -> v3 5.2k chars; read it to see v3]`.
 */
export function changeLine(before: NamedObject, now: NamedObject, workspace: string): string {
  const { version, body } = now.stored;
  const name = shortName(workspace, body, nameWeights.header);
  const old = before.stored;
  return referenceLines.change.write(
    now.handle,
    name,
    old.version,
    amountOf(old.body),
    version,
    amountOf(body),
    version,
  );
}

function amountOf(body: ObjectMetadata | ObjectBody): Amount {
  return presenceOf(body) === "present"
    ? { count: charCount(body), unit: "characters" }
    : { count: byteCount(body), unit: "bytes" };
}

function stateOf(body: ObjectMetadata | ObjectBody, version: number): string {
  if (body.type === "toolcall") {
    const { failed, present } = states;
    return (statusOf(body) === "failed" ? failed : present).write(charCount(body));
  }
  switch (presenceOf(body)) {
    case "unread":
      return states.unread.write(byteCount(body));
    case "non_text":
      return states.nonText.write(byteCount(body));
    case "missing":
      return states.missing.write();
    case "present":
      return version > 1
        ? states.presentVersion.write(charCount(body), version)
        : states.present.write(charCount(body));
  }
}

function viewText(body: ObjectMetadata | ObjectBody, view: readonly string[]): string {
  const shown = view.filter((field) => Object.hasOwn(body, field) && field !== "content");
  return shown
    .map((field) => `${field}=${JSON.stringify(body[field] satisfies JsonValue | undefined)}`)
    .join(" ");
}

function charCount(body: ObjectMetadata | ObjectBody): number {
  return Number(body["char_count"] ?? 0);
}

function byteCount(body: ObjectMetadata | ObjectBody): number {
  return Number(body["size"] ?? 0);
}
