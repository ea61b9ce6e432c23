import {
  defined,
  escapePointer,
  type FrontMatter,
  type JsonObject,
  jsonObject,
  messageOf,
  type ParsedLink,
  type ParsedTag,
} from "@self-context-manager/objects";
import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";

import { wikiLinkAt } from "../inline/wiki-link.ts";
import { linkParts } from "../places/link-parts.ts";
import type { SplitText } from "./split-front-matter.ts";

/** What the front matter of a document says. Ranges are places in the whole document. */
export interface ReadFrontMatter {
  readonly frontMatter: FrontMatter;
  readonly aliases: readonly string[];
  readonly links: readonly ParsedLink[];
  readonly tags: readonly ParsedTag[];
}

/** More than any front matter that a person wrote. A longer one is named invalid, because YAML costs much time. */
const longestYaml = 64_000;
/** A number is no tag. */
const isTag = /^(?!\d+$)[^[\]{}#]+$/u;
/** Fields whose links have no relation of their own. */
const plainFields = new Set(["tags", "tag", "aliases", "alias", "title", "description", "summary"]);

/** Reads the YAML of a document (YAML 1.2). Never throws: what is wrong is named in the result. */
export function readFrontMatter({ yaml, yamlStart }: SplitText): ReadFrontMatter {
  if (yaml === undefined) return without({ state: "absent" });
  if (yaml.length > longestYaml) {
    const reason = `it has ${yaml.length} characters, and at most ${longestYaml} are read`;
    return without({ state: "invalid", reason, line: 1 });
  }
  const lines = new LineCounter();
  const document = parseDocument(yaml, {
    logLevel: "silent",
    lineCounter: lines,
    prettyErrors: false,
  });
  const error = document.errors[0];
  if (error !== undefined) {
    // The first line of the document is the line of dashes.
    const line = lines.linePos(error.pos[0]).line + 1;
    return without({ state: "invalid", reason: error.message, line });
  }
  const root = document.contents;
  const other = keyThatIsNoText(root);
  if (other !== undefined) {
    const line = lines.linePos(other.range?.[0] ?? 0).line + 1;
    return without({
      state: "invalid",
      reason: "a key is no text; text in braces needs quotes",
      line,
    });
  }
  if (root === null) return without({ state: "valid", fields: {} });
  if (!isMap(root)) {
    return without({ state: "invalid", reason: "it has no fields, only a value", line: 2 });
  }
  let fields: JsonObject;
  try {
    fields = jsonObject(document.toJS({ maxAliasCount: 100 }));
  } catch (cause) {
    // Too many aliases are noticed only here.
    const reason = messageOf(cause);
    return without({ state: "invalid", reason, line: 2 });
  }
  const found: Found = { yaml, yamlStart, links: [], tags: [], aliases: [] };
  for (const { key, value } of root.items) {
    if (isScalar(key) && isNode(value)) readField(String(key.value), value, found);
  }
  return {
    frontMatter: { state: "valid", fields },
    aliases: found.aliases,
    links: found.links,
    tags: found.tags,
  };
}

/** The first key that is a list or an object, such as in `date: {{date}}` of a template that is not filled in. */
function keyThatIsNoText(root: Node | null): Node | undefined {
  let found: Node | undefined;
  visit(root, {
    Pair(_, { key }) {
      if (!isNode(key) || isScalar(key)) return undefined;
      found = key;
      return visit.BREAK;
    },
  });
  return found;
}

function without(frontMatter: FrontMatter): ReadFrontMatter {
  return { frontMatter, aliases: [], links: [], tags: [] };
}

interface Found {
  readonly yaml: string;
  readonly yamlStart: number;
  readonly links: ParsedLink[];
  readonly tags: ParsedTag[];
  readonly aliases: string[];
}

function readField(name: string, value: Node, found: Found): void {
  const field = name.toLowerCase();
  const pointer = `/front_matter/${escapePointer(name)}`;
  const relation = plainFields.has(field) ? undefined : name;
  if (field === "tags" || field === "tag") readTags(value, pointer, found);
  if (field === "aliases" || field === "alias") readAliases(value, found);
  readLinks(value, pointer, relation, found);
}

/** Tags are a list, or one text with commas or blanks between them. */
function readTags(value: Node, pointer: string, { yaml, yamlStart, tags }: Found): void {
  const items = isSeq(value) ? value.items : [value];
  items.forEach((item, index) => {
    if (!isScalar(item) || !item.range) return;
    const [start, end] = item.range;
    const path = isSeq(value) ? `${pointer}/${index}` : pointer;
    for (const { 0: word, index: at } of yaml.slice(start, end).matchAll(/[^\s,"']+/gu)) {
      const tag = word.startsWith("#") ? word.slice(1) : word;
      if (!isTag.test(tag)) continue;
      const from = yamlStart + start + at;
      tags.push({ path, range: [from, from + word.length], tag });
    }
  });
}

function readAliases(value: Node, { aliases }: Found): void {
  for (const item of isSeq(value) ? value.items : [value]) {
    if (!isScalar(item) || item.value === null) continue;
    const alias = (item.source ?? "").trim();
    if (alias !== "" && !aliases.includes(alias)) aliases.push(alias);
  }
}

/**
 * Finds the wiki links of a value in its source text. Without quotes, `[[x]]` is a list within a list to YAML, but its
 * author meant a link.
 */
function readLinks(value: Node, pointer: string, relation: string | undefined, found: Found): void {
  const range = value.range ?? undefined;
  if (range === undefined) return;
  const source = found.yaml.slice(range[0], range[1]);
  if (isSeq(value) && wikiLinkAt(source) === undefined) {
    value.items.forEach((item, index) => {
      if (isNode(item)) readLinks(item, `${pointer}/${index}`, relation, found);
    });
  } else if (isMap(value)) {
    for (const { key, value: item } of value.items) {
      if (isScalar(key) && isNode(item))
        readLinks(item, `${pointer}/${escapePointer(String(key.value))}`, relation, found);
    }
  } else if (isSeq(value) || (isScalar(value) && typeof value.value === "string")) {
    addLinks(source, found.yamlStart + range[0], pointer, relation, found.links);
  }
}

function addLinks(
  source: string,
  start: number,
  path: string,
  relation: string | undefined,
  into: ParsedLink[],
): void {
  for (const { 0: opening, index } of source.matchAll(/!?\[\[/gu)) {
    const embed = opening.startsWith("!");
    const brackets = index + (embed ? 1 : 0);
    const raw = wikiLinkAt(source.slice(brackets, brackets + 1004));
    if (raw === undefined) continue;
    into.push({
      path,
      range: [start + index, start + brackets + raw.length + 4],
      syntax: "wiki",
      raw,
      ...linkParts(raw),
      ...(embed ? { embed } : {}),
      ...defined({ relation }),
    });
  }
}
