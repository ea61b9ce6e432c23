import {
  type DocumentParser,
  type JsonObject,
  objectId,
  type ObjectStore,
  type ParsedLink,
  sealObject,
  type StoredVersion,
} from "@self-context-manager/objects";

import type { LinkParts } from "../src/follow-links.ts";

const link = /(?:(?<relation>\w+)::)?\[\[(?<name>[^\]#]*)(?:#(?<heading>[^\]]*))?\]\]/gu;

/** Reads `[[name#heading]]` and `relation::[[name]]`, and counts what it reads. */
export function linkParser(): DocumentParser & { readonly parsed: string[] } {
  const parsed: string[] = [];
  return {
    name: "links",
    parsed,
    parse(text) {
      parsed.push(text);
      const links = [...text.matchAll(link)].map((match): ParsedLink => {
        const { relation, name = "", heading } = match.groups ?? {};
        const start = match.index + match[0].indexOf("[[");
        const end = match.index + match[0].length;
        return {
          path: "content",
          range: [start, end],
          syntax: "wiki",
          raw: text.slice(start + 2, end - 2),
          name,
          ...(heading === undefined ? {} : { heading }),
          ...(relation === undefined ? {} : { relation }),
        };
      });
      return {
        parser: "links",
        front_matter: { state: "absent" },
        aliases: [],
        headings: [],
        links,
        tags: [],
      };
    },
  };
}

/** Commits a version of an object; a note if `fields` has no other type. */
export async function put(
  store: ObjectStore,
  id: string,
  content: string | null,
  fields: JsonObject = {},
): Promise<StoredVersion> {
  const body = {
    type: "note",
    locked: false,
    provenance: { origin: "a test", generator: "agent" },
    ...fields,
    id: objectId(id),
    content,
  } as const;
  await store.commit([{ object: sealObject(body) }]);
  const stored = await store.get(objectId(id));
  if (stored === undefined) throw new Error(`${id} is not stored`);
  return stored;
}

export function partsOf(store: ObjectStore, parser: DocumentParser = linkParser()): LinkParts {
  return { store, parser, workspace: "/work" };
}
