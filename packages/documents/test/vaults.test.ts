import type { ParsedLink } from "@self-context-manager/objects";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { splitFrontMatter } from "../src/front-matter/split-front-matter.ts";
import { longestParsedText, markdownParser } from "../src/index.ts";
import { localDestination } from "../src/places/local-destination.ts";
import { destinationsOf, yamlValue } from "./second-parsers.ts";

// Real vaults of notes with the links and tags that another implementation found in them. They are not in the repository:
// `SCM_VAULTS` names their folder, with a file NAME.links.json beside each folder NAME.
const folder = process.env["SCM_VAULTS"];
const names =
  folder === undefined
    ? []
    : globSync("*.links.json", { cwd: folder }).map((file) => file.replace(".links.json", ""));

interface Expected {
  readonly root: string;
  readonly links: readonly {
    readonly from: string;
    readonly at: string;
    readonly raw: string;
    readonly name: string;
    readonly heading?: string;
    readonly alias?: string;
    readonly embed?: boolean;
  }[];
  readonly tags: Readonly<Record<string, readonly string[]>>;
}

/** Tags on which this parser and the other one disagree, with the reason. */
const differentTags: readonly {
  readonly tag: string;
  readonly files: RegExp;
  readonly reason: string;
}[] = [
  {
    tag: "value1",
    files: /Tags in Frontmatter|yaml_complex_example/u,
    reason: "the field is called TAG, and names of fields have any case",
  },
  { tag: "value2", files: /Tags in Frontmatter|yaml_complex_example/u, reason: "likewise" },
  {
    tag: "no",
    files: /no-no-export/u,
    reason: "`tags: no` is a text in YAML 1.2, false in YAML 1.1",
  },
  { tag: "nnnn", files: /add a new field/u, reason: "the number sign is escaped" },
  { tag: "data-safety", files: /Changelog/u, reason: "the number sign is escaped" },
  { tag: "dev", files: /2020-08-30/u, reason: "the number sign is escaped" },
  { tag: "schemas", files: /2020-08-30/u, reason: "the number sign is escaped" },
  { tag: "workflows", files: /2020-08-30/u, reason: "the number sign is escaped" },
];

describe.runIf(names.length > 0)("real vaults", () => {
  const vaults = names.map((name) => {
    const { root, links, tags } = JSON.parse(
      readFileSync(join(folder ?? "", `${name}.links.json`), "utf8"),
    ) as Expected;
    const texts = new Map(
      globSync("**/*.md", { cwd: join(folder ?? "", root) }).map((file) => [
        file,
        readFileSync(join(folder ?? "", root, file), "utf8"),
      ]),
    );
    return { name, links, tags, texts };
  });

  it.each(vaults)("have the same wiki links: $name", ({ links, texts }) => {
    const found = [...texts].flatMap(([file, text]) =>
      markdownParser
        .parse(text)
        .links.filter(({ syntax }) => syntax === "wiki")
        .map(({ path, raw, name, heading, alias, embed }) =>
          // The other implementation removed the escapes of bars in tables.
          row(
            file,
            path.slice(path.startsWith("/") ? 1 : 0),
            raw.replaceAll("\\|", "|"),
            name,
            heading,
            alias,
            embed,
          ),
        ),
    );
    const expected = links.map(({ from, at, raw, name, heading, alias, embed }) =>
      row(from, at.startsWith("body") ? "content" : at, raw, name, heading, alias, embed),
    );

    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it.each(vaults)("have the same tags, except for named differences: $name", ({ tags, texts }) => {
    const found = new Set(
      [...texts].flatMap(([file, text]) =>
        markdownParser.parse(text).tags.map(({ tag }) => `${tag} ${file}`),
      ),
    );
    const expected = new Set(
      Object.entries(tags).flatMap(([tag, files]) => files.map((file) => `${tag} ${file}`)),
    );
    const isNamed = (entry: string): boolean =>
      differentTags.some(({ tag, files }) => entry.startsWith(`${tag} `) && files.test(entry));

    const different = [
      ...[...found].filter((entry) => !expected.has(entry)),
      ...[...expected].filter((entry) => !found.has(entry)),
    ];

    expect(different.filter((entry) => !isNamed(entry))).toEqual([]);
  });

  it.each(vaults)("have the same Markdown links as a second parser finds: $name", ({ texts }) => {
    for (const [file, text] of texts) {
      const { links } = markdownParser.parse(text);
      const body = withoutWikiLinks(text, links).slice(splitFrontMatter(text).bodyStart);
      if (body.split(/\n\s*\n/u).some((paragraph) => paragraph.length > longestParsedText))
        continue;
      const found = links
        .filter(({ syntax }) => syntax === "markdown")
        .map(({ name, heading }) => `${name}#${heading ?? ""}`);
      const expected = destinationsOf(body)
        .map((destination) => localDestination(destination))
        .filter((destination) => destination !== undefined)
        .map(({ name, heading }) => `${name}#${heading ?? ""}`);

      expect({ file, links: found.toSorted() }).toEqual({ file, links: expected.toSorted() });
    }
  });

  it.each(vaults)("have the front matter that a second parser reads: $name", ({ texts }) => {
    for (const [file, text] of texts) {
      const { yaml } = splitFrontMatter(text);
      const front = markdownParser.parse(text).front_matter;
      expect({ file, isAbsent: front.state === "absent" }).toEqual({
        file,
        isAbsent: yaml === undefined,
      });
      const other = yaml === undefined ? undefined : yamlValue(yaml);
      if (front.state !== "valid" || other === undefined) continue;
      expect({ file, fields: plain(front.fields) }).toEqual({ file, fields: plain(other ?? {}) });
    }
  });
});

/** The other parser reads `[[x]]` as a link in brackets if `x` has a definition. It reads no control characters in links. */
function withoutWikiLinks(text: string, links: readonly ParsedLink[]): string {
  let rest = text;
  for (const { syntax, range } of links) {
    const [start, end] = range;
    if (syntax === "wiki")
      rest = rest.slice(0, start) + "\u0001".repeat(end - start) + rest.slice(end);
  }
  return rest;
}

function row(...parts: readonly (string | boolean | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null));
}

/** A value as JSON has it; dates of YAML are texts there. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
