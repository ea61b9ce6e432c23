import {
  isJsonObject,
  type ObjectBody,
  type ObjectMetadata,
  oneLine,
} from "@self-context-manager/objects";
import { fieldTokens, mostFieldTokens } from "./own-fields.ts";

/** Who wrote the note of an object. */
export type NoteAuthor = "model" | "user" | "summarizer";

/** The field that has the note. */
const field = "short_summary";

/** Characters of English that a note of the most tokens has. */
const mostCharacters = 200;

/**
 * Returns an object with a note: one line in `short_summary`, which its `view` names, so that the lines of the object show
 * it whole. An empty text removes the note. A returned text says why the object cannot have this note.
 */
export function notedBody(
  { body, version }: { readonly body: ObjectBody; readonly version: number },
  text: string,
  by: NoteAuthor,
): ObjectBody | string {
  if (body.type === "summary") return "a summary is the text of a model and has no note";
  if (body.locked) return `a ${body.type} is a record of a session and has no note`;
  const line = oneLine(text).trim();
  const { [field]: earlier, summary_provenance: source, view = [], ...others } = body;
  const isShown = view.includes(field);
  if (line === "") {
    if (earlier === undefined) return body;
    const left = view.filter((name) => name !== field);
    // An object without a view of its own has that of its type.
    return left.length === 0 ? others : { ...others, view: left };
  }
  const tokens = fieldTokens(field, line);
  if (tokens > mostFieldTokens)
    return `a note has at most ${mostFieldTokens} tokens, about ${mostCharacters} characters, and this one has ${tokens}`;
  if (earlier === line && isShown && isJsonObject(source) && source["by"] === by) return body;
  return {
    ...others,
    [field]: line,
    summary_provenance: { by, version },
    view: isShown ? view : [field, ...view],
  };
}

/** Returns the note of an object in one line; undefined without a note. */
export function noteOf(body: ObjectBody | ObjectMetadata): string | undefined {
  const note = body[field];
  const line = typeof note === "string" ? oneLine(note).trim() : "";
  return line === "" ? undefined : line;
}

/** Whether the model has written a note about this version of an object. Its call has the note. */
export function isNotedByModel(body: ObjectMetadata, version: number): boolean {
  const { summary_provenance: source } = body;
  return isJsonObject(source) && source["by"] === "model" && source["version"] === version;
}
