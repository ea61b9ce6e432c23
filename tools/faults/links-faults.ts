import type { DeliberateFault } from "./deliberate-fault.ts";

/** Faults that the tests in `packages/links/test` must find. */
export const linksFaults: readonly DeliberateFault[] = [
  {
    file: "resolve-link.ts",
    of: "isOwn(one) - isOwn(other) ||",
    becomes: "",
    breaks:
      "A link means a note near the root although the document's own folder has one of the name.",
  },
  {
    file: "resolve-link.ts",
    of: "if (exact.length > 0) return exact;",
    becomes: "",
    breaks: "Of two notes whose names differ in composition only, one cannot be linked.",
  },
  {
    file: "update-index.ts",
    of: "former?.document !== undefined && former.contentHash === stored.hashes.content_hash",
    becomes: "former?.document !== undefined",
    breaks: "Links and tags of a changed document are those of its first version.",
  },
  {
    file: "resolve-link.ts",
    of: 'if (found.length > 0) return chosen("path", found, place);',
    becomes:
      'if (found[0] !== undefined) return { state: "resolved", id: found[0].candidate.id, rank: "path" };',
    breaks: "A link to one of two objects of one path changes its meaning from call to call.",
  },
  {
    file: "name-keys.ts",
    of: "return heading === undefined ? [name] : [wholeTarget(link), name];",
    becomes: "return heading === undefined ? [name] : [`${name}#${heading}`, name];",
    breaks: "A note with a number sign in its name cannot be linked.",
  },
  {
    file: "update-search.ts",
    of: "growing.has(type) ? whole : whole.slice(0, searchedCharacters)",
    becomes: "whole",
    breaks: "The words of a log of many megabytes are all split and stored.",
  },
  {
    file: "update-search.ts",
    of: "growing.has(type) ? whole : whole.slice(0, searchedCharacters)",
    becomes: "whole.slice(0, searchedCharacters)",
    breaks: "What is said late in a long chat is not found.",
  },
  {
    file: "update-search.ts",
    of: "if (read >= sliceCharacters) {",
    becomes: "if (read < 0) {",
    breaks: "Nothing else is done while the contents of 200 versions are read.",
  },
  {
    file: "added-text.ts",
    of: "if (read < sliceCharacters) continue;\n    read = 0;\n    yield;\n  }\n  const added",
    becomes: "}\n  const added",
    breaks: "Nothing else is done while two long texts are compared.",
  },
  {
    file: "follow-links.ts",
    of: "[...followed, ...self].filter(",
    becomes: "followed.filter(",
    breaks: "The backlinks of a note lack its links to its own headings.",
  },
  {
    file: "follow-links.ts",
    of: '({ target }) => target.state !== "unresolved" && target.id === id,',
    becomes: '({ target }) => target.state !== "unresolved",',
    breaks: "A note gets the backlinks of another note with the same name.",
  },
  {
    file: "follow-links.ts",
    of: "...(await unindexed(keys, named, store))",
    becomes: "",
    breaks: "A link to a tool call leads nowhere.",
  },
  {
    file: "follow-links.ts",
    of: "entry?.contentHash === hashes.content_hash ? entry.document : parts.parser.parse(body.content);",
    becomes: "entry?.document ?? parts.parser.parse(body.content);",
    breaks: "An earlier version of a note has the links of the latest one.",
  },
  {
    file: "graph.ts",
    of: "if (!known.has(other)) {",
    becomes: "if (other !== id) {",
    breaks: "A walk in a circle fills its limit with the same notes.",
  },
  {
    file: "graph.ts",
    of: "isCut = true;",
    becomes: "isCut = false;",
    breaks: "A walk that left notes out looks complete.",
  },
  {
    file: "expand.ts",
    of: ".toSorted((one, other) => comparePaths(one.path, other.path))",
    becomes: "",
    breaks: "An expansion on XTDB has its items in another order than on SQLite.",
  },
  {
    file: "expand.ts",
    of: "if (tries === mostTries || (await walk.isOfOneState())) return walk.expansion();",
    becomes: "return walk.expansion();",
    breaks: "An expansion during a commit has objects of two states.",
  },
  {
    file: "expand.ts",
    of: "const stored = await this.#store.get(reference.id, { txId });",
    becomes: "const stored = await this.#store.get(reference.id);",
    breaks: "An expansion as of an earlier call shows the objects of today.",
  },
  {
    file: "expand.ts",
    of: ".filter(({ path }) => field === undefined || isInside(path, field))",
    becomes: "",
    breaks: "A reference to one field brings all that its object refers to.",
  },
  {
    file: "update-search.ts",
    of: "if (growing.has(type) && newest.get(id) !== version) continue;",
    becomes: "",
    breaks: "The search index of a long chat takes time that grows with the square of its length.",
  },
  {
    file: "update-search.ts",
    of: 'if (unsearched.has(type) || (isFinding(body) && noteOf(body) === "")) continue;',
    becomes: "",
    breaks: "A search finds views and sessions instead of what they show.",
  },
  {
    file: "update-search.ts",
    of: 'if (typeof stored.body.content !== "string" && own.note === "") continue;',
    becomes: 'if (typeof stored.body.content !== "string") continue;',
    breaks: "The note of an image is not found.",
  },
  {
    file: "update-search.ts",
    of: 'const note = own.note === earlier.note ? "" :',
    becomes: 'const note = own.note === "" ? "" :',
    breaks: "A note counts once more with each change of its file.",
  },
  {
    file: "added-text.ts",
    of: "known.set(line, left - 1)",
    becomes: "known.set(line, left)",
    breaks: "A search does not find the version that repeats a line.",
  },
  {
    file: "links-to-files.ts",
    of: 'const place = { id: "" as ObjectId, path: from, workspace };',
    becomes: 'const place = { id: "" as ObjectId, path: undefined, workspace };',
    breaks: "A Markdown link beside a picture means the picture of the same name at the root.",
  },
  {
    file: "document-upkeep.ts",
    of: "requests > seen && waits < mostWaits",
    becomes: "false",
    breaks: "The indexes are updated during calls that follow each other at once.",
  },
  {
    file: "document-upkeep.ts",
    of: "requests > seen && waits < mostWaits",
    becomes: "requests > seen",
    breaks: "The indexes are never updated while calls follow each other at once.",
  },
];
