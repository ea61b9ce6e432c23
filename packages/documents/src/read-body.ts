import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";
import { parser, Table } from "@lezer/markdown";
import {
  defined,
  type ParsedHeading,
  type ParsedLink,
  type ParsedTag,
} from "@self-context-manager/objects";

import { hashTags } from "./inline/hash-tag.ts";
import { longTexts } from "./inline/long-text.ts";
import { plainText } from "./inline/plain-text.ts";
import { wikiLinks } from "./inline/wiki-link.ts";
import { withoutDeepBlocks } from "./nested-blocks.ts";
import { linkParts } from "./places/link-parts.ts";
import { localDestination } from "./places/local-destination.ts";
import { relationOf } from "./places/relation-of.ts";

/** What the body of a document says. Ranges are places in the whole document. */
export interface ReadBody {
  readonly headings: readonly ParsedHeading[];
  readonly links: readonly ParsedLink[];
  readonly tags: readonly ParsedTag[];
}

/** Emphasis says nothing about a document, and costs time. */
const bodyParser = parser.configure([
  Table,
  { remove: ["Emphasis"] },
  wikiLinks,
  hashTags,
  // Each goes before the parsers that are there, so the first one asked is that of long texts.
  longTexts,
  plainText,
]);

const path = "content";
/** A link further from the start of its line has no relation. */
const longestLineStart = 500;
const heading = /^(?:ATX|Setext)Heading([1-6])$/u;

/** Reads a Markdown text from a place on. */
export function readBody(text: string, start: number): ReadBody {
  const body = text.slice(start);
  const tree = bodyParser.parse(withoutDeepBlocks(body));
  const reader = new BodyReader(body, start);
  tree.iterate({
    enter: (node) => reader.enter(node),
  });
  return reader;
}

class BodyReader implements ReadBody {
  readonly headings: ParsedHeading[] = [];
  readonly links: ParsedLink[] = [];
  readonly tags: ParsedTag[] = [];
  readonly #body: string;
  readonly #start: number;
  #isUnderRelations = false;
  /** The start of the line that was looked at last, and of the line after it. */
  #line = 0;
  #nextLine = 0;
  /** The destinations of `[label]: destination`, by label; filled when the first link needs them. */
  #definitions: ReadonlyMap<string, string> | undefined;

  constructor(body: string, start: number) {
    this.#body = body;
    this.#start = start;
  }

  enter(node: SyntaxNodeRef): boolean | undefined {
    const level = heading.exec(node.name)?.[1];
    if (level !== undefined) this.#addHeading(node.node, Number(level));
    else if (node.name === "WikiLink" || node.name === "WikiEmbed") this.#addWikiLink(node);
    else if (node.name === "Link" || node.name === "Image") this.#addMarkdownLink(node.node);
    else if (node.name === "HashTag") {
      const tag = this.#body.slice(node.from + 1, node.to);
      this.tags.push({ path, range: this.#range(node.from, node.to), tag });
    }
    return undefined;
  }

  #range(from: number, to: number): [number, number] {
    return [this.#start + from, this.#start + to];
  }

  #addHeading(node: SyntaxNode, level: number): void {
    const text = headingText(this.#body, node);
    this.headings.push({ level, text, range: this.#range(node.from, node.to) });
    this.#isUnderRelations = text.toLowerCase() === "relations";
  }

  #addWikiLink({ name, from, to }: SyntaxNodeRef): void {
    const isEmbed = name === "WikiEmbed";
    const raw = this.#body.slice(from + (isEmbed ? 3 : 2), to - 2);
    this.#add(from, to, { syntax: "wiki", raw, ...linkParts(raw) }, isEmbed);
  }

  #addMarkdownLink(node: SyntaxNode): void {
    const raw = this.#destinationOf(node);
    const destination = raw === undefined ? undefined : localDestination(raw);
    if (raw === undefined || destination === undefined) return;
    const alias = linkText(this.#body, node);
    this.#add(
      node.from,
      node.to,
      { syntax: "markdown", raw, ...destination, ...(alias === "" ? {} : { alias }) },
      node.name === "Image",
    );
  }

  #add(
    from: number,
    to: number,
    link: Pick<ParsedLink, "syntax" | "raw" | "name" | "heading" | "alias">,
    isEmbed: boolean,
  ): void {
    const lineStart = this.#lineStartOf(from);
    // In a long line, the text before each link is not searched again and again.
    const relation =
      from - lineStart > longestLineStart
        ? undefined
        : relationOf(this.#body.slice(lineStart, from), this.#isUnderRelations);
    this.links.push({
      path,
      range: this.#range(from, to),
      ...link,
      ...(isEmbed ? { embed: true } : {}),
      ...defined({ relation }),
    });
  }

  /** Where the line of a link starts. Links come in the order of their places. */
  #lineStartOf(from: number): number {
    for (;;) {
      if (this.#nextLine <= from) this.#line = this.#nextLine;
      else return this.#line;
      const end = this.#body.indexOf("\n", this.#line);
      this.#nextLine = end < 0 ? Number.POSITIVE_INFINITY : end + 1;
    }
  }

  /** The destination of `[text](destination)`, or of a link to a definition: `[text][label]`, `[label]`. */
  #destinationOf(node: SyntaxNode): string | undefined {
    const url = node.getChild("URL");
    if (url !== null) return this.#body.slice(url.from, url.to);
    const label = node.getChild("LinkLabel");
    const written = label === null ? "" : this.#body.slice(label.from + 1, label.to - 1);
    this.#definitions ??= definitionsOf(this.#body, node);
    if (this.#definitions.size === 0) return undefined;
    return this.#definitions.get(labelKey(written === "" ? linkText(this.#body, node) : written));
  }
}

function definitionsOf(body: string, node: SyntaxNode): ReadonlyMap<string, string> {
  const definitions = new Map<string, string>();
  let root = node;
  while (root.parent !== null) root = root.parent;
  root.cursor().iterate((found) => {
    if (found.name !== "LinkReference") return;
    const label = found.node.getChild("LinkLabel");
    const url = found.node.getChild("URL");
    if (label === null || url === null) return;
    const key = labelKey(body.slice(label.from + 1, label.to - 1));
    // Of several definitions of a label the first one counts.
    if (!definitions.has(key)) definitions.set(key, body.slice(url.from, url.to));
  });
  return definitions;
}

function labelKey(label: string): string {
  return label.trim().replaceAll(/\s+/gu, " ").toLowerCase();
}

/** The text between the first two brackets of a link or image. */
function linkText(body: string, node: SyntaxNode): string {
  const [open, close] = node.getChildren("LinkMark");
  return open === undefined || close === undefined ? "" : body.slice(open.to, close.from).trim();
}

/** The text of a heading as a reader sees it. */
function headingText(body: string, node: SyntaxNode): string {
  let text = "";
  let at = node.from;
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    const shown = shownText(body, child);
    if (shown === undefined) continue;
    text += body.slice(at, child.from) + shown;
    at = child.to;
  }
  return (text + body.slice(at, node.to)).trim().replaceAll(/\s+/gu, " ");
}

/** What a reader sees instead of a part of a heading. Undefined for a part that is shown as it is. */
function shownText(body: string, child: SyntaxNode): string | undefined {
  if (child.name === "HeaderMark") return "";
  if (child.name === "Link") return linkText(body, child);
  if (child.name !== "WikiLink") return undefined;
  const { name, heading: place, alias } = linkParts(body.slice(child.from + 2, child.to - 2));
  return alias ?? (name === "" ? (place ?? "") : name);
}
