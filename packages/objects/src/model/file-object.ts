import type { FileContent, FileFacts, FileState } from "./file-facts.ts";
import { fileType } from "./file-type.ts";
import { isJsonObject } from "./json.ts";
import type { ObjectBody, ObjectMetadata, Provenance } from "./object-body.ts";
import type { ObjectId } from "./object-id.ts";

/** Why an object has no content, or that it has (decision D12). */
export type Presence = "present" | "unread" | "non_text" | "missing";

/** The presence of a file object; anything that does not say is present. */
export function presenceOf(body: ObjectMetadata | ObjectBody): Presence {
  const presence = body["presence"];
  return presence === "unread" || presence === "non_text" || presence === "missing"
    ? presence
    : "present";
}

type Generator = Provenance["generator"];

/** The fields that a file's state decides; all others stay from one version to the next. */
const fileFields: ReadonlySet<string> = new Set([
  "content",
  "path",
  "file_type",
  "char_count",
  "presence",
  "size",
  "disk",
  "provenance",
]);

/**
 * Size and time that a file had on disk when this version was read, so that a later look sees whether reading it again
 * can be spared; undefined for what was not read.
 */
export function diskState(body: ObjectMetadata | ObjectBody): FileState | undefined {
  const disk = body["disk"];
  if (!isJsonObject(disk)) return undefined;
  const { size, modified } = disk;
  return typeof size === "number" && typeof modified === "number" ? { size, modified } : undefined;
}

function kept(earlier: ObjectBody | ObjectMetadata | undefined): Partial<ObjectBody> {
  return Object.fromEntries(
    Object.entries(earlier ?? {}).filter(([field]) => !fileFields.has(field)),
  );
}

/** A file as it was read (specification v0 §24.1). */
export function fileBody(
  id: ObjectId,
  file: FileContent,
  generator: Generator,
  earlier?: ObjectBody | ObjectMetadata,
): ObjectBody {
  return {
    ...kept(earlier),
    id,
    type: earlier?.type ?? "file",
    locked: earlier?.locked ?? false,
    content: file.text,
    path: file.realPath,
    file_type: fileType(file.realPath, file.text !== null),
    char_count: file.text?.length ?? 0,
    presence: file.text === null ? "non_text" : "present",
    ...(file.text === null ? { size: file.size } : {}),
    disk: { size: file.size, modified: file.modified },
    provenance: { origin: file.realPath, generator },
  };
}

/** A file that was named and not read (decision D11). */
export function unreadFileBody(
  id: ObjectId,
  facts: FileFacts,
  earlier?: ObjectMetadata,
): ObjectBody {
  return {
    ...kept(earlier),
    id,
    type: earlier?.type ?? "file",
    locked: earlier?.locked ?? false,
    content: null,
    path: facts.realPath,
    file_type: fileType(facts.realPath, true),
    presence: "unread",
    size: facts.size,
    provenance: { origin: facts.realPath, generator: "human" },
  };
}

/** A file that is elsewhere now, as it was. */
export function movedFileBody(earlier: ObjectBody, path: string): ObjectBody {
  return {
    ...earlier,
    path,
    file_type: fileType(path, presenceOf(earlier) !== "non_text"),
    provenance: { ...earlier.provenance, origin: path, generator: "human" },
  };
}

/** A file that is gone: null content and null path, the last path in its provenance (specification v0 §18.2). */
export function missingFileBody(earlier: ObjectBody | ObjectMetadata): ObjectBody {
  return {
    ...kept(earlier),
    id: earlier.id,
    type: earlier.type,
    locked: earlier.locked,
    content: null,
    path: null,
    file_type: earlier["file_type"] ?? "text",
    char_count: 0,
    presence: "missing",
    provenance: { ...earlier.provenance, generator: "human" },
  };
}
