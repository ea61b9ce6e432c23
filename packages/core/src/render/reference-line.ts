import {
  fileTypes,
  type ObjectBody,
  type ObjectMetadata,
  oneLine,
  presenceOf,
} from "@self-context-manager/objects";
import { isFileOfUser } from "../calls/user-object.ts";
import {
  type Amount,
  type CallStatus,
  changed,
  metadataLines,
  referenceLines,
  states,
} from "../lines/object-lines.ts";
import { hasOwnLetter } from "../lines/handles.ts";
import type { NamedObject, PoolEntry } from "../view/pool-entry.ts";
import { nameWeight, startOfWeight } from "./name-weight.ts";
import { ownFields } from "./own-fields.ts";
import { isAscii, nameWeights, namingFields, shortName, shownBeginning } from "./short-name.ts";

/**
 * Returns the reference line of a tool's result in the pooled layout: `[t31 ok, 4.1k chars]`, at most 17 tokens. For a
 * context tool the line contains the report. It contains nothing that can change later, so its bytes stay in the cache.
 */
export function resultLine({ handle, stored: { body } }: PoolEntry): string {
  const { report } = body;
  return typeof report === "string"
    ? referenceLines.report.write(handle, statusOf(body), report)
    : referenceLines.result.write(handle, statusOf(body), charCount(body));
}

/**
 * Returns the reference line of a result whose content left the view: `[t31 ok, 4.1k chars]`. The line is `[t31 ok, no
 * text]` if the result is empty or an image. The fields of the object's own `view` follow. Its tool and arguments do not,
 * because the call is directly above.
 */
export function sizeLine({
  handle,
  stored: { body },
}: {
  readonly handle: string;
  readonly stored: { readonly body: ObjectMetadata | ObjectBody };
}): string {
  const { result, resultWithoutText, resultWithFields, resultWithoutTextWithFields } =
    referenceLines;
  const status = statusOf(body);
  const size = charCount(body);
  const fields = ownFields(body, ["type", "tool", "args_display", "status", "char_count"]);
  if (size === 0) {
    return fields === ""
      ? resultWithoutText.write(handle, status)
      : resultWithoutTextWithFields.write(handle, status, fields);
  }
  return fields === ""
    ? result.write(handle, status, size)
    : resultWithFields.write(handle, status, size, fields);
}

/** Returns how a tool call ended. */
export function statusOf(body: ObjectMetadata | ObjectBody): CallStatus {
  return body["status"] === "fail" ? "failed" : "ok";
}

/** Weight that a metadata line may have without its handle. With the handle an ASCII line has at most 17 tokens. */
const lineWeight = 14;

/** The usual types of files. They are common words, which have one or two tokens. */
const usualTypes: ReadonlySet<string> = new Set([...Object.values(fileTypes), "text", "binary"]);

/** Weight of a usual type of a file, and the most that another one may have in a metadata line. */
const typeWeight = 2;

interface PoolLineOptions {
  readonly hasFileType?: boolean;
  /** The weight that name and state may have together. Default: so much that the line has at most 17 tokens. */
  readonly nameWeight?: number;
}

/**
 * Returns an object's metadata line: handle, name, nickname and state, at most 17 tokens if they are ASCII, and after
 * them the fields of the object's own `view`. `hasFileType`: whether the line of a file also has the file's type.
 */
export function poolLine(
  entry: NamedObject,
  workspace: string,
  { hasFileType = false, nameWeight: longest }: PoolLineOptions = {},
): string {
  const { body, version } = entry.stored;
  const state = stateOf(body, version);
  const type = hasFileType ? fileTypeOf(body) : undefined;
  const room =
    (longest ?? lineWeight) - nameWeight(` ${state}`) - (type === undefined ? 0 : typeWeight);
  const hasOther = body.nickname !== undefined && !namingFields(body).includes("nickname");
  const nickname = hasOther ? ` (${shownBeginning(oneLine(body.nickname), room / 2)})` : "";
  // The columns of a nickname in another script leave the name its half.
  const used = isAscii(body.nickname ?? "") ? nameWeight(nickname) : room / 2;
  const name = shortName(workspace, body, room - used);
  const isWhole = body.nickname !== undefined && nickname === ` (${body.nickname})`;
  const fields = ownFields(body, [
    ...shownByName(body, name, workspace),
    ...(isWhole ? ["nickname"] : []),
    ...(type === body["file_type"] ? ["file_type"] : []),
    ...shownByState(body),
  ]);
  const { handle } = entry;
  const title = `${name}${nickname}`;
  if (fields !== "") {
    const parts = type === undefined ? [title, state] : [title, type, state];
    return metadataLines.withFields.write(handle, [parts.join(" "), fields]);
  }
  return type === undefined
    ? metadataLines.usual.write(handle, title, state)
    : metadataLines.withType.write(handle, title, type, state);
}

/** Returns the type of a file, unless it is no word. */
function fileTypeOf(body: ObjectMetadata | ObjectBody): string | undefined {
  const type = body["file_type"];
  if (typeof type !== "string" || !/^[\w+#.-]+$/u.test(type)) return undefined;
  return usualTypes.has(type) ? type : startOfWeight(type, typeWeight);
}

/**
 * Returns the report that a file in view has changed, with its old and its new size: `[f2 app.log changed, v1 4.1k
 * chars -> v3 5.2k chars; read it to see v3]`. The fields of the file's own `view` follow.
 */
export function changeLine(before: NamedObject, now: NamedObject, workspace: string): string {
  const { version, body } = now.stored;
  const name = shortName(workspace, body, nameWeights.header);
  const old = before.stored;
  const { change, changeWithFields } = referenceLines;
  const text = changed.write(
    name,
    old.version,
    amountOf(old.body),
    version,
    amountOf(body),
    version,
  );
  const fields = ownFields(body, [...shownByName(body, name, workspace), ...shownByState(body)]);
  return fields === ""
    ? change.write(now.handle, text)
    : changeWithFields.write(now.handle, [text, fields]);
}

/** Returns the fields of which a line shows the whole value by a name. The letter of its handle shows the type. */
function shownByName(
  body: ObjectMetadata | ObjectBody,
  name: string,
  workspace: string,
): readonly string[] {
  const type = hasOwnLetter(body.type) ? ["type"] : [];
  const isWhole = name === shortName(workspace, body, Number.POSITIVE_INFINITY);
  return isWhole ? [...type, ...namingFields(body)] : type;
}

/** Returns the fields that the state in a metadata line stands for. */
function shownByState(body: ObjectMetadata | ObjectBody): readonly string[] {
  if (body.type === "toolcall") return ["status", "char_count"];
  switch (presenceOf(body)) {
    case "unread":
    case "non_text":
      return ["presence", "size"];
    case "missing":
      return ["presence"];
    case "present":
      return ["presence", "char_count"];
  }
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
  if (body.type === "chat") return states.turns.write(Number(body["turn_count"] ?? 0));
  if (isFileOfUser(body)) return states.withoutText.write();
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

function charCount(body: ObjectMetadata | ObjectBody): number {
  return Number(body["char_count"] ?? 0);
}

function byteCount(body: ObjectMetadata | ObjectBody): number {
  return Number(body["size"] ?? 0);
}
