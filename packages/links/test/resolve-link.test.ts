import { objectId } from "@self-context-manager/objects";
import { expect, it } from "vitest";

import { type Candidate, resolveLink } from "../src/resolve-link.ts";

const id = objectId;
const from = { id: id("note"), path: "/work/plans/note.md", workspace: "/work" };

function file(name: string, path: string, others: Partial<Candidate> = {}): Candidate {
  return { id: id(name), path: `/work/${path}`, aliases: [], ...others };
}

const candidates: readonly Candidate[] = [
  file("root", "costs.md"),
  file("own", "plans/costs.md"),
  file("deep", "a/b/Costs.md"),
  file("picture", "a/costs.png"),
  file("numbered", "a/Sprint #4.md"),
  file("alias", "a/money.md", { aliases: ["The Budget"] }),
  { id: id("named"), nickname: "budget", aliases: [] },
  { id: id("outside"), path: "/other/x.md", aliases: [] },
];

function resolve(
  name: string,
  heading?: string,
  syntax: "wiki" | "markdown" = "wiki",
  raw = heading === undefined ? name : `${name}#${heading}`,
) {
  const link = { name, syntax, raw, ...(heading === undefined ? {} : { heading }) };
  return resolveLink(link, from, candidates);
}

it.each([
  ["", { id: "note", rank: "self" }],
  ["root", { id: "root", rank: "id" }],
  ["budget", { id: "named", rank: "nickname" }],
  ["./costs", { id: "own", rank: "path" }],
  ["../costs.md", { id: "root", rank: "path" }],
  ["/costs", { id: "root", rank: "path" }],
  ["a/b/Costs", { id: "deep", rank: "path" }],
  ["B/costs", { id: "deep", rank: "suffix" }],
  ["costs.png", { id: "picture", rank: "suffix" }],
  ["the  budget", { id: "alias", rank: "alias" }],
])("resolves the name %j by its rank", (name, expected) => {
  expect(resolve(name)).toEqual({ state: "resolved", ...expected });
});

it("prefers the document's own folder to the root", () => {
  expect(resolve("COSTS")).toEqual({
    state: "ambiguous",
    id: "own",
    rank: "suffix",
    candidates: ["own", "root", "deep"],
  });
  // In a wiki link, a name without `./` begins at the workspace; in a Markdown link at the document.
  expect(resolve("costs")).toMatchObject({ id: "root", rank: "path" });
  expect(resolve("costs", undefined, "markdown")).toMatchObject({ id: "own", rank: "path" });
});

it("chooses among objects of one path by their ids, in any order of the candidates", () => {
  const link = { name: "twice", syntax: "wiki", raw: "twice" } as const;
  const twins = [file("b", "twice.md"), file("a", "twice.md")];

  for (const some of [twins, twins.toReversed()])
    expect(resolveLink(link, from, some)).toEqual({
      state: "ambiguous",
      id: "a",
      rank: "path",
      candidates: ["a", "b"],
    });
});

it("finds a name in any composition of its letters, the exact one first", () => {
  const forms = ["NFC", "NFD"].map((form) => "résumé".normalize(form));
  const files = forms.map((name, index) => file(`f${index}`, `${name}.md`));
  const named = forms.map((nickname, index) => ({ id: id(`n${index}`), nickname, aliases: [] }));
  const meant = (name: string, among: readonly Candidate[]) =>
    resolveLink({ name, syntax: "wiki", raw: name }, from, among);

  for (const [index, name] of forms.entries()) {
    for (const one of files)
      expect(meant(`/${name}`, [one])).toMatchObject({ id: one.id, rank: "path" });
    for (const one of named)
      expect(meant(name, [one])).toMatchObject({ id: one.id, rank: "nickname" });
    expect(meant(`/${name}`, files)).toMatchObject({ state: "resolved", id: `f${index}` });
    expect(meant(name, named)).toMatchObject({ state: "resolved", id: `n${index}` });
  }
});

it("separates a heading from a name only if the whole is no name", () => {
  for (const raw of ["Sprint #4", String.raw`sprint  #4\|next`])
    expect(resolve("Sprint", "4", "wiki", raw)).toEqual({
      state: "resolved",
      id: "numbered",
      rank: "suffix",
    });
  expect(resolve("Sprint", "4", "wiki", "Sprint#4")).toEqual({ state: "unresolved" });
  expect(resolve("budget", "Plan")).toEqual({
    state: "resolved",
    id: "named",
    rank: "nickname",
    heading: "Plan",
  });
});

it.each(["osts", "b", "x", "../../other/x", "/other/x", "f12"])(
  "guesses nothing for %j",
  (name) => {
    expect(resolve(name)).toEqual({ state: "unresolved" });
  },
);
