import {
  bulkFields,
  type JsonValue,
  type ObjectBody,
  type ObjectId,
  type ObjectMetadata,
  resolveVersion,
} from "@self-context-manager/objects";

import type { VersionAnswer } from "../answers.ts";
import { metadataLines } from "./metadata-lines.ts";
import { QuestionError } from "./question-error.ts";
import type { Reading } from "./reading.ts";

/** One version of an object with its content and its long fields, verified by its hashes. */
export async function versionAnswer(
  { store }: Reading,
  id: ObjectId,
  version: number,
): Promise<VersionAnswer> {
  const { stored, isVerified, problem } = await resolveVersion(store, id, { version });
  if (stored === undefined && problem?.type === "missing")
    throw new QuestionError("NOT_FOUND", `The object has no version ${version}.`);
  if (stored === undefined) {
    const text = problem?.text ?? `version ${version} of object ${id} cannot be read`;
    return {
      id,
      version,
      type: "",
      metadata: [],
      content: null,
      fields: [],
      isVerified: false,
      problem: text,
    };
  }
  const { body } = stored;
  return {
    id,
    version,
    type: body.type,
    ...mediaTypeOf(body),
    metadata: metadataLines(metadataOf(body)),
    content: typeof body.content === "string" ? body.content : null,
    fields: Object.entries(body)
      .filter(([name, value]) => name !== "content" && isLong(name, value, body))
      .map(([name, value]) => ({ name, json: JSON.stringify(value) })),
    isVerified,
    ...(problem === undefined ? {} : { problem: problem.text }),
  };
}

/** Whether a field is too long for a line of metadata. */
function isLong(name: string, value: JsonValue | undefined, body: ObjectBody): boolean {
  return (
    value !== undefined && (bulkFields.has(name) || body.content_fields?.includes(name) === true)
  );
}

/** The fields of metadata: all but the content and the other long fields. */
function metadataOf(body: ObjectBody): ObjectMetadata {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => name !== "content" && !isLong(name, value, body),
    ),
  ) as ObjectMetadata;
}

function mediaTypeOf(body: ObjectBody): Pick<VersionAnswer, "mediaType"> {
  const given = body["media_type"] ?? body["file_type"];
  return typeof given === "string" ? { mediaType: given } : {};
}
