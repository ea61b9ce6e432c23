import { type ObjectBody, type ObjectMetadata, oneLine } from "@self-context-manager/objects";
import { endOfWeight, startOfWeight } from "./name-weight.ts";

/** Weight that a name may have: in the header of a content block, and in places with more space. */
export const nameWeights = { header: 7, answer: 14 } as const;

/**
 * Returns the name of an object in rendered text: a path relative to the workspace, a tool with its argument, or else
 * its nickname or type. A long path keeps its end and a long tool call its beginning, because these identify the object
 * best.
 */
export function shortName(
  workspace: string,
  body: ObjectBody | ObjectMetadata,
  weight: number = nameWeights.answer,
): string {
  const path =
    body["path"] ??
    (body.type === "file" || body.type === "note" ? body.provenance.origin : undefined);
  if (typeof path === "string") return endOfWeight(oneLine(relative(workspace, path)), weight);
  const display = body["args_display"];
  if (typeof display === "string")
    return startOfWeight(oneLine(display).replace(": ", " "), weight);
  const usual = body.type === "user" ? "user message" : body.type;
  return startOfWeight(oneLine(body.nickname ?? usual), weight);
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
