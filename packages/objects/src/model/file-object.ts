import type { FileContent, FileFacts, FileState } from "./file-facts.ts";
import { fileType } from "./file-type.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import type { ObjectBody, ObjectMetadata, Provenance } from "./object-body.ts";
import type { ObjectId } from "./object-id.ts";
import { defined } from "./defined.ts";

/** Whether a file object has content, and why not. */
export type Presence = "present" | "unread" | "non_text" | "missing";

/** Returns the presence of a file object; `present` if the field is missing. */
export function presenceOf(body: ObjectMetadata | ObjectBody): Presence {
  const presence = body["presence"];
  return presence === "unread" || presence === "non_text" || presence === "missing"
    ? presence
    : "present";
}

type Generator = Provenance["generator"];

/** The fields that follow from the state of the file; all other fields are copied from version to version. */
const fileFields: ReadonlySet<string> = new Set([
  "content",
  "path",
  "file_type",
  "char_count",
  "presence",
  "size",
  "bytes_hash",
  "disk",
  "provenance",
]);

/**
 * The state of the file on disk when this version was made. If size and time are unchanged, the file need not be read
 * again. Node and creation time recognise the file at another path. The version of a deleted file has the state before.
 */
export function diskState(body: ObjectMetadata | ObjectBody): FileState | undefined {
  const disk = body["disk"];
  if (!isJsonObject(disk)) return undefined;
  const { size, modified, node, born } = disk;
  if (typeof size !== "number" || typeof modified !== "number") return undefined;
  return {
    size,
    modified,
    ...(typeof node === "string" ? { node } : {}),
    ...(typeof born === "number" ? { born } : {}),
  };
}

/** Returns the stored form of a file's state on disk. */
function diskField({ size, modified, node, born }: FileState): JsonObject {
  return { size, modified, ...defined({ node, born }) };
}

function kept(earlier: ObjectBody | ObjectMetadata | undefined): Partial<ObjectBody> {
  return Object.fromEntries(
    Object.entries(earlier ?? {}).filter(([field]) => !fileFields.has(field)),
  );
}

/** Returns the object of a file that was read. */
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
    ...(file.text === null ? { size: file.size, ...defined({ bytes_hash: file.bytesHash }) } : {}),
    disk: diskField(file),
    provenance: { origin: file.realPath, generator },
  };
}

/** Returns the object of a file that was named but not read. */
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
    disk: diskField(facts),
    provenance: { origin: facts.realPath, generator: "human" },
  };
}

/**
 * Returns the object of a moved file: its new path, and otherwise unchanged. `disk`: the state of the file at its new
 * path, if the file is known to have the stored content.
 */
export function movedFileBody(earlier: ObjectBody, path: string, disk?: FileState): ObjectBody {
  return {
    ...earlier,
    path,
    file_type: fileType(path, presenceOf(earlier) !== "non_text"),
    ...(disk === undefined ? {} : { disk: diskField(disk) }),
    provenance: { ...withoutIdentity(earlier.provenance), origin: path, generator: "human" },
  };
}

/** Returns the object of a deleted file: null content and null path, with the last path in its provenance. */
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
    ...defined({ disk: earlier["disk"] }),
    provenance: { ...withoutIdentity(earlier.provenance), generator: "human" },
  };
}

/**
 * Returns the object of a file that was recognised only by its path: the store and the disk have nothing in common that
 * shows whether another file was moved there. The version records this.
 */
export function identifiedByPath(body: ObjectBody): ObjectBody {
  return { ...body, provenance: { ...body.provenance, identified_by: "path" } };
}

function withoutIdentity(provenance: Provenance): Provenance {
  const { identified_by: _identity, ...rest } = provenance;
  return rest;
}
