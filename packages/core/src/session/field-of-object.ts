import { isDocument, plainRelation } from "@self-context-manager/links";
import {
  type JsonValue,
  lineCount,
  metadataVersion,
  type ParsedDocument,
  type StoredVersion,
} from "@self-context-manager/objects";
import { fieldHeader } from "../lines/object-lines.ts";
import { shortName } from "../render/short-name.ts";
import { visibleLines } from "../state/host-shown.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { refusal, type ToolAnswer } from "./answers.ts";

/** The most characters of a field that one call shows. */
const mostCharacters = 50_000;

/** The fields of a document that are made from its content (§24.1). */
const derivedNames = ["front_matter", "headings", "links", "tags", "relations"] as const;

/**
 * Returns a field of an object as the output of the call that asks for it, so that nothing becomes active. A document has
 * the derived fields, too. Of a file that other extensions of the host can hide in part, a field with text of the content
 * is shown only if a tool of the host has shown all lines.
 */
export async function fieldOfObject(
  scope: SessionScope,
  handle: string,
  stored: StoredVersion,
  field: string,
): Promise<ToolAnswer> {
  const { workspace, documents } = scope.dependencies;
  const { body, version } = stored;
  const { content } = body;
  const name = `${handle} ${shortName(workspace, body)}`;
  const isParsed = documents !== undefined && isDocument(body) && typeof content === "string";
  const derived = isParsed ? derivedNames.filter((one) => !Object.hasOwn(body, one)) : [];
  const isDerived = derived.some((one) => one === field);
  const isOwn = Object.hasOwn(body, field) && body[field] !== undefined;
  if (!isDerived && !isOwn) {
    const names = Object.keys(body).filter((one) => body[one] !== undefined);
    const all = [...derived, ...names].join(", ");
    return refusal(`${name} has no field ${JSON.stringify(field)}; it has ${all}.`);
  }
  if ((isDerived || field === "content") && !(await isAllVisible(scope, stored)))
    return refusal(
      `${name}: its ${field} is not shown, because not all lines were shown here; call ${scope.readTool} with its path to see it.`,
    );
  const value =
    isDerived && isParsed ? derivedFields(documents.parser.parse(content))[field] : body[field];
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
  const header = fieldHeader.write(handle, version, field, text.length > mostCharacters);
  return {
    ok: true,
    text: `${header}\n${text.slice(0, mostCharacters)}`,
    effects: [],
    isOutput: true,
  };
}

async function isAllVisible(scope: SessionScope, stored: StoredVersion): Promise<boolean> {
  const isVisible = await visibleLines(scope, metadataVersion(stored));
  const count = lineCount(stored.body.content ?? "");
  for (let line = 1; line <= Math.max(1, count); line += 1) if (!isVisible(line)) return false;
  return true;
}

function derivedFields({
  front_matter: front,
  headings,
  links,
  tags,
}: ParsedDocument): Readonly<Record<string, JsonValue>> {
  return {
    front_matter: front.state === "valid" ? front.fields : front,
    headings: headings.map(({ level, text }) => `${"#".repeat(level)} ${text}`),
    links: links.map(({ raw }) => raw),
    tags: [...new Set(tags.map(({ tag }) => tag))],
    relations: links.flatMap(({ relation, raw }) =>
      relation === undefined || relation === plainRelation ? [] : [`${relation} ${raw}`],
    ),
  };
}
