import {
  defined,
  escapePointer,
  type FrontMatter,
  type JsonObject,
  jsonObject,
  lineCount,
  messageOf,
  type ParsedLink,
  type ParsedTag,
} from "@self-context-manager/objects";
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";

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

/**
 * Reads the YAML of a document (YAML 1.2). Never throws: what is wrong is named in the result, and the fields of all other
 * lines are read.
 */
export function readFrontMatter({ yaml, yamlStart }: SplitText): ReadFrontMatter {
  if (yaml === undefined) return without({ state: "absent" });
  if (yaml.length > longestYaml) {
    const reason = `it has ${yaml.length} characters, and at most ${longestYaml} are read`;
    return without({ state: "invalid", reason, line: 1, fields: {} });
  }
  const found = { links: [], tags: [], aliases: [] };
  const whole = readYaml(yaml);
  if (whole.type === "fields") {
    readFields(whole.map, { ...found, yaml, yamlStart });
    return { frontMatter: { state: "valid", fields: whole.fields }, ...found };
  }
  const { fields, badLine = whole.line } = readBlocks(yaml, { ...found, yaml, yamlStart });
  // An open bracket is noticed only in a line behind it.
  const line = Math.min(whole.line, badLine);
  return { frontMatter: { state: "invalid", reason: whole.reason, line, fields }, ...found };
}

type ReadYaml =
  | { readonly type: "fields"; readonly fields: JsonObject; readonly map: YAMLMap | null }
  /** `map` has what the parser recovered. */
  | {
      readonly type: "error";
      readonly reason: string;
      readonly line: number;
      readonly map: YAMLMap | null;
    };

function readYaml(yaml: string): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(yaml, {
    logLevel: "silent",
    lineCounter: lines,
    prettyErrors: false,
  });
  const root = document.contents;
  const map = isMap(root) ? root : null;
  // The first line of the document is the line of dashes.
  const failed = (reason: string, offset: number): ReadYaml => ({
    type: "error",
    reason,
    line: lines.linePos(offset).line + 1,
    map,
  });
  const error = document.errors[0];
  if (error !== undefined) return failed(error.message, error.pos[0]);
  const other = keyThatIsNoText(root);
  if (other !== undefined)
    return failed("a key is no text; text in braces needs quotes", other.range?.[0] ?? 0);
  if (root === null) return { type: "fields", fields: {}, map };
  if (map === null) return failed("it has no fields, only a value", 0);
  const unknown = unknownAlias(document);
  if (unknown !== undefined)
    return failed("an alias has no anchor; text that begins with * needs quotes", unknown);
  try {
    return { type: "fields", fields: jsonObject(document.toJS({ maxAliasCount: 100 })), map };
  } catch (cause) {
    // Too many aliases are noticed only here.
    return failed(messageOf(cause), 0);
  }
}

/** Returns the place of the first alias without an anchor before it. */
function unknownAlias(document: Document): number | undefined {
  let place: number | undefined;
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      place = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return place;
}

function readFields(map: YAMLMap | null, found: Found): void {
  for (const { key, value } of map?.items ?? []) {
    if (isScalar(key) && isNode(value)) readField(String(key.value), value, found);
  }
}

/** A line with a key at its start. Lists can have no indent, and lines of a list in brackets have no colon. */
const keyLine = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s#\-\]}"'][^:\n]*):(?=\s|$)/gmu;

/** Most fields that are read one by one. A note that a person writes has some tens. */
const mostBlocks = 1_000;

/**
 * Reads each field with its lines by itself, because the parser takes what follows an open quotation mark or bracket for a
 * part of the value. Of a field with an error, only tags and aliases are read. Of two fields with one key, the value of
 * the first one counts.
 */
function readBlocks(
  yaml: string,
  found: Found,
): { readonly fields: JsonObject; readonly badLine?: number } {
  const starts = Array.from(yaml.matchAll(keyLine), ({ index }) => index).slice(0, mostBlocks + 1);
  const fields: JsonObject[] = [];
  let badLine: number | undefined;
  for (const [index, start] of starts.slice(0, mostBlocks).entries()) {
    const block = yaml.slice(start, starts[index + 1]);
    const own = { ...found, yaml: block, yamlStart: found.yamlStart + start };
    const read = readYaml(block);
    if (read.type === "fields") {
      readFields(read.map, own);
      fields.push(read.fields);
    } else {
      readNames(read.map, own);
      const inBlock = Math.min(read.line, lineCount(block) + 1);
      badLine ??= lineCount(yaml.slice(0, start)) + inBlock;
    }
  }
  // Of several entries the last one counts, so the first one comes last.
  const entries = fields.toReversed().flatMap((own) => Object.entries(own));
  const values = jsonObject(Object.fromEntries(entries));
  return { fields: values, ...defined({ badLine }) };
}

function readNames(map: YAMLMap | null, found: Found): void {
  for (const { key, value } of map?.items ?? []) {
    if (isScalar(key) && isNode(value)) readNamesOf(String(key.value), value, found);
  }
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
  readNamesOf(name, value, found);
  readLinks(value, pointer, relation, found);
}

function readNamesOf(name: string, value: Node, found: Found): void {
  const field = name.toLowerCase();
  if (field === "tags" || field === "tag")
    readTags(value, `/front_matter/${escapePointer(name)}`, found);
  if (field === "aliases" || field === "alias") readAliases(value, found);
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
