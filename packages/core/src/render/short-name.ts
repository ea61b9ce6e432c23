import { type ObjectBody, type ObjectMetadata, oneLine } from "@self-context-manager/objects";
import { endOfWeight, nameWeight, startOfWeight } from "./name-weight.ts";
import { beginningOfWidth, pathOfWidth } from "./name-width.ts";

/** Weight that a name may have: in the header of a content block, and in places with more space. */
export const nameWeights = { header: 7, answer: 14 } as const;

/**
 * Columns that a name with letters of other scripts has at least, whatever its weight. By their weight such names would
 * be cut inside their words, until different files had one name.
 */
const leastColumns = 40;

/** Columns for each unit of weight, where a name has more space. */
const columnsOfWeight = 2.5;

/**
 * Returns the name of an object in rendered text: a path relative to the workspace, a tool with its argument, or else
 * its nickname or type. A long path keeps its end and a long tool call its beginning, because these identify the object
 * best. A name depends on nothing but the object, so a line has the same bytes whenever it is rendered.
 */
export function shortName(
  workspace: string,
  body: ObjectBody | ObjectMetadata,
  weight: number = nameWeights.answer,
): string {
  const path =
    body["path"] ??
    (body.type === "file" || body.type === "note" ? body.provenance.origin : undefined);
  if (typeof path === "string") return shownPath(oneLine(relative(workspace, path)), weight);
  const display = body["args_display"];
  if (typeof display === "string")
    return shownBeginning(oneLine(display).replace(": ", " "), weight);
  return shownBeginning(oneLine(body.nickname ?? nameOfType(body)), weight);
}

/** Returns the name of an object without a name of its own. An object of a user's file names the kind of the file. */
function nameOfType({ type, media, turn }: ObjectBody | ObjectMetadata): string {
  if (type === "summary" && typeof turn === "number") return `summary of turn ${turn}`;
  if (type !== "user") return type;
  return typeof media === "string" ? `user ${media}` : "user message";
}

function shownPath(path: string, weight: number): string {
  if (isAscii(path) || nameWeight(path) <= weight) return endOfWeight(path, weight);
  return pathOfWidth(path, columnsFor(weight));
}

/** Returns the beginning of a name that is no path within a weight, or within the columns of other scripts. */
export function shownBeginning(name: string, weight: number): string {
  if (isAscii(name) || nameWeight(name) <= weight) return startOfWeight(name, weight);
  return beginningOfWidth(name, columnsFor(weight));
}

/** Whether a name is cut by its weight and not by its columns. Stored arguments of a call can have the mark of a cut. */
export function isAscii(name: string): boolean {
  return /^[\p{ASCII}…]*$/u.test(name);
}

function columnsFor(weight: number): number {
  return Math.max(leastColumns, Math.floor(weight * columnsOfWeight));
}

/** Returns the fields that the name of an object shows if it is not cut. */
export function namingFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  if (typeof body["path"] === "string") return ["path"];
  if (body.type === "file" || body.type === "note") return [];
  if (typeof body["args_display"] === "string") return ["args_display", "tool"];
  return [body.nickname === undefined ? "type" : "nickname"];
}

function relative(workspace: string, path: string): string {
  const base = workspace.endsWith("/") ? workspace : `${workspace}/`;
  return path.startsWith(base) ? path.slice(base.length) : path;
}
