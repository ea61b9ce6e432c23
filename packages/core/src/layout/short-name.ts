import type { ObjectBody, ObjectMetadata } from "../objects/object-body.ts";

/** How long a name may be in a line of metadata, and in the header of a content block, in UTF-16 units. */
export const nameLengths = { entry: 36, header: 24 } as const;

/**
 * What an object is called in rendered text: a path relative to the workspace, a tool with its argument, else its type.
 * A long name keeps its telling end (a path) or beginning.
 */
export function shortName(
  workspace: string,
  body: ObjectBody | ObjectMetadata,
  length: number = nameLengths.entry,
): string {
  const path =
    body["path"] ??
    (body.type === "file" || body.type === "note" ? body.provenance.origin : undefined);
  if (typeof path === "string") return keepEnd(oneLine(relative(workspace, path)), length);
  const display = body["args_display"];
  if (typeof display === "string") return keepStart(oneLine(display).replace(": ", " "), length);
  return keepStart(oneLine(body.nickname ?? body.type), length);
}

function relative(workspace: string, path: string): string {
  const base = workspace.endsWith("/") ? workspace : `${workspace}/`;
  return path.startsWith(base) ? path.slice(base.length) : path;
}

/** A name stays on its line and has no control characters, whatever the file system allows. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " ");
}

function keepStart(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

function keepEnd(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = text.slice(text.length - length + 1);
  const slash = tail.indexOf("/");
  return `…${(slash === -1 ? tail : tail.slice(slash)).toWellFormed()}`;
}
