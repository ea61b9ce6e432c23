import { memoryStore } from "@self-context-manager/store-memory";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { type VaultLink, vaultLinks } from "../src/documents/vault-links.ts";
import { memoryPlace, sqlitePlace } from "../src/stores/places.ts";

/** A vault with a link for each rank, and with names that have several meanings. */
const smallVault: Readonly<Record<string, string>> = {
  "Home.md":
    "[[plan]] [[Plan#Costs]] [[#Home]] [[People/Ann|her]] [[nobody]] [[The Budget]] [[chart.png]]\n",
  "Plan.md": "---\nrelated: ['[[Money]]', '[[HOME]]']\n---\n[[todo]] ![[chart]]\n",
  "projects/Money.md":
    "---\naliases: [The Budget]\n---\n[[todo]] [[./todo]] [[../Plan]] [[/Plan]]\n",
  "projects/todo.md": "[[ann]] `[[nobody]]` [[Sprint #4]]\n",
  "people/Ann.md": "[[todo]] [[odo]] [[Home.md]]\n",
  "todo.md": "| a |\n| - |\n| [[Plan\\|x]] |\n",
  "a/Sprint #4.md": "",
  "a/b/chart.png": "",
};

const smallLinks: readonly (readonly [from: string, raw: string, how: string, to?: string])[] = [
  ["Home.md", "plan", "suffix", "Plan.md"],
  ["Home.md", "Plan#Costs", "path", "Plan.md"],
  ["Home.md", "#Home", "self", "Home.md"],
  ["Home.md", "People/Ann|her", "suffix", "people/Ann.md"],
  ["Home.md", "nobody", "broken"],
  ["Home.md", "The Budget", "alias", "projects/Money.md"],
  ["Home.md", "chart.png", "suffix", "a/b/chart.png"],
  ["Plan.md", "Money", "suffix", "projects/Money.md"],
  ["Plan.md", "HOME", "suffix", "Home.md"],
  ["Plan.md", "todo", "path", "todo.md"],
  ["Plan.md", "chart", "broken"],
  ["projects/Money.md", "todo", "path", "todo.md"],
  ["projects/Money.md", "./todo", "path", "projects/todo.md"],
  ["projects/Money.md", "../Plan", "path", "Plan.md"],
  ["projects/Money.md", "/Plan", "path", "Plan.md"],
  ["projects/todo.md", "ann", "suffix", "people/Ann.md"],
  ["projects/todo.md", "Sprint #4", "suffix", "a/Sprint #4.md"],
  ["people/Ann.md", "todo", "path", "todo.md"],
  ["people/Ann.md", "odo", "broken"],
  ["people/Ann.md", "Home.md", "path", "Home.md"],
  ["todo.md", "Plan|x", "path", "Plan.md"],
];

describe.each([
  { name: "memory", createPlace: memoryPlace },
  { name: "sqlite", createPlace: sqlitePlace },
])("the links of a small vault: $name", ({ createPlace }) => {
  it("lead where each of the ranks says", async () => {
    await using place = await createPlace();
    await using store = await place.open();

    const links = await vaultLinks(store, new Map(Object.entries(smallVault)));

    expect(links.map(({ from, raw, how, to }) => row([from, raw, how, to])).toSorted()).toEqual(
      smallLinks.map(row).toSorted(),
    );
  });

  it("are ambiguous if several files have the name, with the nearest as their target", async () => {
    await using place = await createPlace();
    await using store = await place.open();
    const files = {
      "x/y/Note.md": "",
      "x/note.md": "[[Note]]",
      "z.md": "[[NOTE]]",
      "y/note.md": "",
    };

    const links = await vaultLinks(store, new Map(Object.entries(files)));

    const candidates = ["x/note.md", "x/y/Note.md", "y/note.md"];
    expect(new Set(links)).toEqual(
      new Set([
        {
          from: "x/note.md",
          at: "body",
          raw: "Note",
          how: "ambiguous",
          to: "x/note.md",
          candidates,
        },
        { from: "z.md", at: "body", raw: "NOTE", how: "ambiguous", to: "x/note.md", candidates },
      ]),
    );
  });
});

// Real vaults of notes with the targets that another implementation of the same rules found. They are not in the
// repository: `SCM_VAULTS` names their folder, with a file NAME.links.json beside each folder NAME.
const folder = process.env["SCM_VAULTS"];
const names =
  folder === undefined
    ? []
    : globSync("*.links.json", { cwd: folder }).map((file) => file.replace(".links.json", ""));

interface Expected {
  readonly root: string;
  readonly links: readonly VaultLink[];
}

/** The other implementation names two ways of one rank. */
const ranks: Readonly<Record<string, string>> = { exact: "path", relative: "path" };

describe.runIf(names.length > 0)("the links of a real vault", () => {
  it.each(names)(
    "lead where another implementation finds them, with its candidates: %s",
    async (name) => {
      const { root, links } = JSON.parse(
        readFileSync(join(folder ?? "", `${name}.links.json`), "utf8"),
      ) as Expected;
      const cwd = join(folder ?? "", root);
      const files = globSync("**/*", { cwd }).filter((file) => statSync(join(cwd, file)).isFile());
      await using store = memoryStore();

      const found = await vaultLinks(
        store,
        new Map(files.map((file) => [file, readFileSync(join(cwd, file), "utf8")])),
      );

      const expected = links.map((link): VaultLink => ({
        from: link.from,
        at: link.at.startsWith("body") ? "body" : link.at,
        raw: link.raw,
        ...(link.to === undefined ? {} : { to: link.to }),
        how: ranks[link.how] ?? link.how,
        ...(link.candidates === undefined ? {} : { candidates: link.candidates.toSorted() }),
      }));
      // No difference is left, so none is named here.
      expect(sorted(found)).toEqual(sorted(expected));
    },
  );
});

function row(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" → ");
}

function sorted(links: readonly VaultLink[]): readonly string[] {
  return links
    .map(({ from, at, raw, to, how, candidates }) =>
      JSON.stringify([from, at, raw, how, to ?? null, candidates ?? null]),
    )
    .toSorted();
}
