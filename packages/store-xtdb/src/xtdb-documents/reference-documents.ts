import {
  bulkFields,
  collectReferences,
  type JsonObject,
  type JsonValue,
  type LocatedReference,
  metadataOf,
  type MutableObject,
  type ObjectBody,
  opaqueAt,
  opaqueFields,
  type OpaqueInside,
  sameStart,
} from "@self-context-manager/objects";

import type { XtdbDocuments } from "./xtdb-documents.ts";
import { isAttributeName } from "./field-attributes.ts";
import type { Operation } from "../client/node-client.ts";

// The references of an object as attributes, so that Datalog can follow them. Those in its metadata are in the document
// of the object. Those in its bulk fields, such as the tool calls of a chat, are in pages: documents of their own with the
// same attributes. With each turn of a chat, one page is written again, and not all references of the chat.

/** Number of items of a list whose references are in one page. */
const itemsOfPage = 8;

/** Returns the attributes of the references in the metadata of an object. */
export function ownReferences(body: ObjectBody, names: XtdbDocuments): JsonObject {
  const own = collectReferences(metadataOf(body), opaqueFields(body));
  return own.length === 0 ? {} : attributesOf(own, names.objectId(body.id), names);
}

/**
 * Returns the operations that turn the pages of a version's references into those of the next version, in a generation of
 * the store.
 */
export function pageOperations(
  before: ObjectBody | undefined,
  after: ObjectBody,
  names: XtdbDocuments,
  generation: number,
): readonly Operation[] {
  const operations: Operation[] = [];
  for (const field of bulkFields) {
    const former = fieldOf(before, field);
    const latter = fieldOf(after, field);
    if (former.value === latter.value && former.opaque === latter.opaque) continue;
    const pages = Math.max(pagesOf(former), pagesOf(latter));
    for (let page = firstChange(former, latter); page < pages; page += 1) {
      const earlier = referencesIn(former, page);
      const references = referencesIn(latter, page);
      if (areSame(earlier, references)) continue;
      const documentId = names.referencesId(after.id, `${field}/${page}`);
      operations.push(
        references.length === 0
          ? ["delete", documentId]
          : [
              "put",
              {
                ...attributesOf(references, names.objectId(after.id), names),
                ...names.mark(generation),
                "xt/id": documentId,
              },
            ],
      );
    }
  }
  return operations;
}

/** A bulk field of a version. */
interface Field {
  readonly name: string;
  readonly value: JsonValue | undefined;
  readonly opaque: OpaqueInside;
}

function fieldOf(body: ObjectBody | undefined, name: string): Field {
  if (body === undefined || !Object.hasOwn(body, name))
    return { name, value: undefined, opaque: undefined };
  return { name, value: body[name], opaque: opaqueAt(opaqueFields(body), name) };
}

/** Returns the number of pages that the references of a field can have. A value that is no list has one. */
function pagesOf({ value, opaque }: Field): number {
  if (typeof value !== "object" || value === null || opaque === true) return 0;
  return Array.isArray(value) ? Math.ceil(value.length / itemsOfPage) : 1;
}

/** Returns the first page whose items are not identical in both versions. */
function firstChange(former: Field, latter: Field): number {
  if (former.opaque !== latter.opaque) return 0;
  if (!Array.isArray(former.value) || !Array.isArray(latter.value)) return 0;
  return Math.floor(sameStart(former.value, latter.value) / itemsOfPage);
}

/** Returns the references of one page of a field, with their places in the object. */
function referencesIn(field: Field, page: number): readonly LocatedReference[] {
  const { name, value, opaque } = field;
  if (page >= pagesOf(field)) return [];
  if (!Array.isArray(value)) return located(value, `/${name}`, opaque);
  const start = page * itemsOfPage;
  return value
    .slice(start, start + itemsOfPage)
    .flatMap((item: JsonValue, index) => located(item, `/${name}/${start + index}`, opaque));
}

/** Returns the references of a value that is at a place of an object. */
function located(
  value: JsonValue | undefined,
  place: string,
  opaque: OpaqueInside,
): readonly LocatedReference[] {
  // The value itself can be a reference, so it is searched as the field of an object.
  return collectReferences({ at: value }, { at: opaque }).map(({ path, reference }) => ({
    path: place + path.slice("/at".length),
    reference,
  }));
}

function areSame(one: readonly LocatedReference[], other: readonly LocatedReference[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ path, reference }, index) => {
      const against = other[index];
      return (
        against?.path === path &&
        against.reference.id === reference.id &&
        against.reference.ref === reference.ref
      );
    })
  );
}

function attributesOf(
  references: readonly LocatedReference[],
  from: string,
  names: XtdbDocuments,
): { readonly [attribute: string]: JsonValue } {
  const byField = new Map<string, Set<string>>();
  const edges = references.map(({ path, reference }) => {
    const to = names.objectId(reference.id);
    const field = path.slice(1).split("/")[0] ?? "";
    if (isAttributeName(field)) {
      const targets = byField.get(field) ?? new Set();
      byField.set(field, targets.add(to));
    }
    return { to, path, ref: reference.ref };
  });
  const attributes: MutableObject = {
    [names.attribute("from")]: from,
    [names.attribute("to")]: [...new Set(edges.map(({ to }) => to))],
    [names.attribute("edges")]: edges,
  };
  for (const [field, targets] of byField) attributes[names.targets(field)] = [...targets];
  return attributes as { readonly [attribute: string]: JsonValue };
}
