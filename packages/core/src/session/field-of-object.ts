import {
  type JsonValue,
  type ParsedDocument,
  type StoredVersion,
} from "@self-context-manager/objects";
import { plainRelation } from "../documents/graph.ts";
import { isDocument } from "../documents/update-index.ts";
import { fieldHeader } from "../lines/object-lines.ts";
import { shortName } from "../render/short-name.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { refusal, type ToolAnswer } from "./answers.ts";

/** The most characters of a field that one call shows. */
const mostCharacters = 50_000;

/**
 * Returns a field of an object as the output of the call that asks for it, so that nothing becomes active. A document has
 * the derived fields `front_matter`, `headings`, `links`, `tags` and `relations`, too (§24.1).
 */
export function fieldOfObject(
  { dependencies }: SessionScope,
  handle: string,
  stored: StoredVersion,
  field: string,
): ToolAnswer {
  const { workspace, documents } = dependencies;
  const name = `${handle} ${shortName(workspace, stored.body)}`;
  const content = stored.body.content;
  const document =
    documents === undefined || !isDocument(stored.body) || typeof content !== "string"
      ? undefined
      : documents.parser.parse(content);
  const fields: Readonly<Record<string, JsonValue | undefined>> = {
    ...(document === undefined ? {} : derivedFields(document)),
    ...stored.body,
  };
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (value === undefined) {
    const names = Object.keys(fields).filter((one) => fields[one] !== undefined);
    return refusal(`${name} has no field ${JSON.stringify(field)}; it has ${names.join(", ")}.`);
  }
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
  const header = fieldHeader.write(handle, stored.version, field, text.length > mostCharacters);
  return {
    ok: true,
    text: `${header}\n${text.slice(0, mostCharacters)}`,
    effects: [],
    isOutput: true,
  };
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
