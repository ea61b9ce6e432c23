import { runCli } from "@self-context-manager/cli";
import { environmentVariables } from "@self-context-manager/compose";
import { contextTools, standingInstruction } from "@self-context-manager/core";
import {
  epochLaws,
  type HarnessLaw,
  harnessLawNeeds,
  harnessLaws,
  lawNeeds,
  type LawName,
  layoutLaws,
  objectStoreLaws,
  trackerLaws,
  watcherLaws,
} from "@self-context-manager/testkit";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");

interface Law {
  readonly name: string;
  readonly says: string;
}

/** The laws in the doc comment of a port, as sentences. */
function lawsInComment(path: string, title = "Laws"): readonly Law[] {
  const block = new RegExp(`${title}[^\\n]*:\\n \\*\\n(.*?)\\n \\*(?:/|\\n)`, "su");
  const comment = block.exec(read(path))?.[1] ?? "";
  const lines = comment.replaceAll(/\n \* {3,}/gu, " ").split("\n");
  return lines.map((line) => {
    const [, name = "", says = ""] =
      /^ \* - `([a-z-]+)`(?: \(if [^)]*\))?: (.*)$/u.exec(line) ?? [];
    return { name, says: capitalised(says) };
  });
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The cells of the first table of a document under a heading. */
function tableUnder(heading: string, document: string): readonly (readonly string[])[] {
  const [, part = ""] = document.split(`${heading}\n`);
  const table = /(?:^\|.*\n)+/mu.exec(part)?.[0] ?? "";
  return table
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function codeOf(cell: string | undefined): string {
  return cell?.replaceAll("`", "") ?? "";
}

function blocksOf(language: string, document: string): readonly string[] {
  const blocks = document.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gmsu"));
  return [...blocks].map(([, code = ""]) => code);
}

describe("the laws of a port", () => {
  it.each([
    [
      "ObjectStore",
      "packages/objects/src/ports/object-store.ts",
      "docs/architecture/object-store.md",
    ],
    ["FileSource", "packages/objects/src/ports/file-source.ts", "docs/architecture/file-source.md"],
    [
      "HarnessAdapter",
      "packages/core/src/host/harness-adapter.ts",
      "docs/architecture/harness-adapter.md",
    ],
    ["Layout", "packages/core/src/view/layout.ts", "docs/architecture/layout-port.md"],
    ["Watcher", "packages/objects/src/ports/watcher.ts", "docs/architecture/watcher.md"],
    ["FileTracker", "packages/core/src/files/file-tracker.ts", "docs/architecture/watcher.md"],
  ])("%s stand in its doc comment as on its page", (name, port, page) => {
    const laws = lawsInComment(port);
    const document = read(page);
    const heading = document.includes(`## Laws of ${name}\n`) ? `## Laws of ${name}` : "## Laws";

    expect(laws.length).toBeGreaterThan(3);
    expect(
      tableUnder(heading, document).map(([law, says]) => ({ name: codeOf(law), says })),
    ).toEqual(laws);
  });

  it.each([
    ["ObjectStore", "packages/objects/src/ports/object-store.ts", objectStoreLaws],
    ["HarnessAdapter", "packages/core/src/host/harness-adapter.ts", harnessLaws],
    ["Layout", "packages/core/src/view/layout.ts", layoutLaws],
    ["Watcher", "packages/objects/src/ports/watcher.ts", watcherLaws],
    ["FileTracker", "packages/core/src/files/file-tracker.ts", trackerLaws],
  ])("%s are those that the test kit tries", (_, port, tried) => {
    expect(Object.keys(tried)).toEqual(lawsInComment(port).map(({ name }) => name));
  });

  it("Layouts with epochs stand in its doc comment as on its page, and are tried", () => {
    const laws = lawsInComment("packages/core/src/view/layout.ts", "Laws of layouts with epochs");
    const table = tableUnder(
      "## Laws of layouts with epochs",
      read("docs/architecture/layout-port.md"),
    );

    expect(table.map(([name, says]) => ({ name: codeOf(name), says }))).toEqual(laws);
    expect(Object.keys(epochLaws)).toEqual(laws.map(({ name }) => name));
  });

  it("ObjectStore bind on the page what they bind in the test kit", () => {
    const rows = tableUnder("## Laws", read("docs/architecture/object-store.md"));

    for (const [name, , binds] of rows) {
      const need = lawNeeds[codeOf(name) as LawName];
      expect(binds).toBe(need === undefined ? "every store" : `stores that are ${need}`);
    }
  });
});

describe("what a harness must offer", () => {
  const page = read("docs/architecture/harness-adapter.md");

  it("is for each law what the test kit asks", () => {
    for (const [name, , needs] of tableUnder("## Laws", page)) {
      const wanted = harnessLawNeeds[codeOf(name) as HarnessLaw];
      expect(codeOf(needs)).toBe(wanted.length === 0 ? "nothing" : wanted.join(", "));
    }
  });

  it("is what the port declares", () => {
    const port = read("packages/core/src/host/harness-adapter.ts");
    const declared = port.matchAll(/\/\*\* (.*) \*\/\n {2}readonly (\w+): boolean/gu);

    expect(
      tableUnder("## What a harness must offer", page).map(([name, says]) => [codeOf(name), says]),
    ).toEqual([...declared].map(([, says, name]) => [name, says]));
  });
});

describe("code in the documents", () => {
  it("is the example's file in the guide to an own agent", () => {
    expect(blocksOf("ts", read("docs/guide/own-agent.md"))).toContain(
      read("examples/minimal-agent/src/index.ts"),
    );
  });

  it("comes with the Node that it needs where it is newer than the packages'", () => {
    const pages = ["docs", "packages", "examples"].flatMap((folder) =>
      globSync(`${folder}/**/*.md`, { cwd: root, exclude: (name) => name === "node_modules" }),
    );
    const using = pages.filter((page) =>
      blocksOf("ts", read(page)).some((code) => code.includes("await using")),
    );

    expect(using).toContain("docs/guide/own-agent.md");
    expect(
      using.filter((page) => !/`await using` needs Node 24|Node 24 or newer/u.test(read(page))),
    ).toEqual([]);
  });

  it("is the memory store's contract test on the page of the port", () => {
    expect(blocksOf("ts", read("docs/architecture/object-store.md"))).toContain(
      read("packages/store-memory/test/contract.test.ts"),
    );
  });
});

describe("the page of the Pi adapter", () => {
  const page = read("docs/adapters/pi.md");

  it("describes each tool to the word", () => {
    const rows = tableUnder("## Tools", page);

    expect(rows.map(([name, args, says]) => [codeOf(name), codeOf(args), says])).toEqual(
      contextTools
        .filter(({ name }) => name !== "read")
        .map(({ name, parameters, description }) => [
          name,
          Object.keys(Object(parameters["properties"])).join(", "),
          description,
        ]),
    );
  });

  it("has the standing instruction to the word", () => {
    expect(blocksOf("text", page)).toContain(`${standingInstruction}\n`);
  });
});

describe("settings", () => {
  const known = [...Object.keys(environmentVariables), "SCM_BREAKPOINTS", "SCM_OFF"].toSorted();

  it.each([
    ["README.md", "## Settings"],
    ["docs/adapters/pi.md", "## Command, flags, environment"],
  ])("in %s are all that there are", (path, heading) => {
    const names = tableUnder(heading, read(path)).map(([name]) => codeOf(name).split("=")[0] ?? "");

    expect(names.filter((name) => name.startsWith("SCM_")).toSorted()).toEqual(known);
  });
});

describe("options", () => {
  it("of a context manager stand in the README of compose, with their defaults", () => {
    const declared = read("packages/compose/src/context-manager-options.ts");
    const [, options = ""] = declared.split("export interface ContextManagerOptions {");
    const taken = read("packages/compose/src/context-manager.ts");
    const rows = tableUnder(
      "# @self-context-manager/compose",
      read("packages/compose/README.md"),
    ).map(([name, unlessTold]) => [codeOf(name), codeOf(unlessTold)] as const);

    const names = [...options.matchAll(/^ {2}readonly (\w+)\?:/gmu)].map(([, name = ""]) => name);
    const defaults = [...taken.matchAll(/options\.(\w+) \?\? (?:\{ type: )?"([\w-]+)"/gu)];

    expect(rows.map(([name]) => name).toSorted()).toEqual(names.toSorted());
    expect(defaults.map(([, name]) => name)).toEqual(["store", "layout", "policy"]);
    for (const [, name, unlessTold] of defaults) expect(rows).toContainEqual([name, unlessTold]);
  });
});

describe("lists in the documents", () => {
  it("name every command of scm", async () => {
    let help = "";
    await runCli(["--help"], { stdout: (text) => void (help += text), stderr: () => undefined });
    const commands = [...(/Commands:\n(.*?)\n\n/su.exec(help)?.[1] ?? "").matchAll(/^ +(\w+)/gmu)];

    const rows = tableUnder("# Look into the store with scm", read("docs/guide/inspecting.md"));

    expect(rows.map(([name]) => codeOf(name))).toEqual(commands.map(([, name]) => `scm ${name}`));
  });

  it("name every package", () => {
    const rows = tableUnder("## Packages", read("docs/architecture/overview.md"));

    expect(rows.map(([name]) => codeOf(name)).toSorted()).toEqual(
      readdirSync(`${root}packages`).toSorted(),
    );
  });

  it("name every decision with its title and status", () => {
    const pages = readdirSync(`${root}docs/decisions`).filter((name) => name !== "README.md");
    const rows = tableUnder("# Decisions", read("docs/decisions/README.md"));

    expect(rows).toEqual(
      pages.toSorted().map((name) => {
        const [title = "", , status = ""] = read(`docs/decisions/${name}`).split("\n");
        return [`[${title.slice(2)}](${name})`, status];
      }),
    );
  });
});
