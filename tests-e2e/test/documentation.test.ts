import { runCli } from "@self-context-manager/cli";
import { environmentVariables, sessionSettings, storeKinds } from "@self-context-manager/compose";
import { contextTools } from "@self-context-manager/core/host";
import { standingInstruction } from "@self-context-manager/core";
import {
  fileSourceLaws,
  lawNeeds,
  objectStoreLaws,
  watcherLaws,
} from "@self-context-manager/store-contract";
import {
  codecLaws,
  epochLaws,
  harnessLaws,
  layoutLaws,
  poolLaws,
  trackerLaws,
} from "@self-context-manager/testkit";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");

interface Law {
  readonly name: string;
  /** The field of `supports` that a store must declare before the law applies to it. */
  readonly need: string | undefined;
}

/** Returns the laws in the doc comment of a port. */
function lawsInComment(path: string, title = "Laws"): readonly Law[] {
  const block = new RegExp(`${title}[^\\n]*:\\n \\*\\n(.*?)\\n \\*(?:/|\\n)`, "su");
  const comment = block.exec(read(path))?.[1] ?? "";
  const laws = comment.matchAll(/^ \* - `([a-z-]+)`(?: \(if `supports\.(\w+)`\))?: /gmu);
  return [...laws].map(([, name = "", need]) => ({ name, need }));
}

/** Returns the cells of the first table of a document under a heading. */
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

describe("the laws in the doc comment of", () => {
  it.each([
    ["ObjectStore", "packages/objects/src/ports/object-store.ts", objectStoreLaws],
    ["MessageCodec", "packages/core/src/host/message-codec.ts", codecLaws],
    ["FileSource", "packages/objects/src/ports/file-source.ts", fileSourceLaws],
    ["HarnessAdapter", "packages/core/src/host/harness-adapter.ts", harnessLaws],
    ["Layout", "packages/core/src/view/layout.ts", layoutLaws],
    ["Watcher", "packages/objects/src/ports/watcher.ts", watcherLaws],
    ["FileTracker", "packages/tracker/src/file-tracker.ts", trackerLaws],
  ])("%s are those that the test kits test", (_, port, tried) => {
    expect(lawsInComment(port).map(({ name }) => name)).toEqual(Object.keys(tried));
  });

  it("Layout for layouts with epochs are those that the test kits test", () => {
    const laws = lawsInComment("packages/core/src/view/layout.ts", "Laws of layouts with epochs");

    expect(laws.map(({ name }) => name)).toEqual(Object.keys(epochLaws));
  });

  it("Layout for layouts with a list of known objects are those that the test kits test", () => {
    const heading = "Laws of layouts with a list of known objects";

    const laws = lawsInComment("packages/core/src/view/layout.ts", heading);

    expect(laws.map(({ name }) => name)).toEqual(Object.keys(poolLaws));
  });

  it("ObjectStore have the conditions that its contract has", () => {
    const laws = lawsInComment("packages/objects/src/ports/object-store.ts");

    const bound = laws.flatMap(({ name, need }) => (need === undefined ? [] : [[name, need]]));
    expect(Object.fromEntries(bound)).toEqual(lawNeeds);
  });

  it("FileSource for sources that read a disk are names of tests in the watcher package", () => {
    const tests = globSync("packages/watcher/test/**/*.test.ts", { cwd: root }).map(read).join();
    const heading = "Laws of a source that reads a disk";

    const laws = lawsInComment("packages/objects/src/ports/file-source.ts", heading);
    expect(laws.length).toBeGreaterThan(1);
    expect(laws.filter(({ name }) => !new RegExp(`"${name}\\b`, "u").test(tests))).toEqual([]);
  });
});

describe("code in the documents", () => {
  it("equals the example's file in the guide to a custom agent", () => {
    expect(blocksOf("ts", read("docs/guide/own-agent.md"))).toContain(
      read("examples/minimal-agent/src/index.ts"),
    );
  });

  it.each([
    "src/small/small-messages.ts",
    "src/small/small-codec.ts",
    "src/small/small-adapter.ts",
    "src/small/small-host.ts",
    "test/harness-small.test.ts",
  ])("equals the file %s in the guide to adapters", (file) => {
    expect(blocksOf("ts", read("docs/guide/write-an-adapter.md"))).toContain(
      read(`tests-e2e/${file}`),
    );
  });

  it("has the required Node version beside it if the packages need an older one", () => {
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

  it.each([
    ["store-memory/test/contract.test.ts", "objectStoreContract({", "object-store.md"],
    ["testkit/test/memory-folder.test.ts", "fileSourceContract({", "file-source.md"],
  ])("equals the contract test in %s on the page of the port", (file, begin, page) => {
    const test = read(`packages/${file}`);
    const call = test.slice(test.indexOf(begin));

    expect(blocksOf("ts", read(`docs/architecture/${page}`))).toContainEqual(
      expect.stringContaining(call),
    );
  });
});

describe("the page of the Pi adapter", () => {
  const page = read("docs/adapters/pi.md");

  it("has the exact description of each tool", () => {
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

  it("has the exact standing instruction", () => {
    expect(blocksOf("text", page)).toContain(`${standingInstruction}\n`);
  });
});

describe("settings", () => {
  const known = [...Object.keys(environmentVariables), "SCM_BREAKPOINTS", "SCM_OFF"].toSorted();

  it.each([
    ["README.md", "## Settings"],
    ["docs/adapters/pi.md", "## Command, flags, environment"],
  ])("in %s are complete", (path, heading) => {
    const names = tableUnder(heading, read(path)).map(([name]) => codeOf(name).split("=")[0] ?? "");

    expect(names.filter((name) => name.startsWith("SCM_")).toSorted()).toEqual(known);
  });
});

describe("the settings of the plugin for OpenClaw", () => {
  const { properties } = JSON.parse(read("packages/adapter-openclaw/openclaw.plugin.json"))
    .configSchema as { readonly properties: Readonly<Record<string, unknown>> };
  const page = read("docs/adapters/openclaw.md");

  it("are complete on its page, with the variables that mean the same", () => {
    const rows = tableUnder("## Configure", page);

    expect(rows.map(([name]) => codeOf(name)).toSorted()).toEqual(
      Object.keys(properties).toSorted(),
    );
    // The layout cannot be chosen in OpenClaw, which the page says below the table.
    const expected = Object.keys(environmentVariables).filter((name) => name !== "SCM_LAYOUT");
    expect(rows.map(([, variable]) => codeOf(variable)).toSorted()).toEqual(
      [...expected, "SCM_OFF"].toSorted(),
    );
  });

  it.each(["docs/adapters/openclaw.md", "packages/adapter-openclaw/README.md"])(
    "in the configurations of %s exist",
    (path) => {
      const configs = blocksOf("json", read(path)).map((block) => JSON.parse(block));
      const used = configs.flatMap(({ plugins }) =>
        Object.keys(plugins.entries["self-context-manager"].config ?? {}),
      );

      expect(used).not.toEqual([]);
      expect(used.filter((name) => !Object.hasOwn(properties, name))).toEqual([]);
    },
  );
});

describe("options", () => {
  it("of a context manager are in the README of compose, with their defaults", () => {
    const declared = read("packages/compose/src/context-manager-options.ts");
    const [, options = ""] = declared.split("export interface ContextManagerOptions {");
    const rows = tableUnder(
      "# @self-context-manager/compose",
      read("packages/compose/README.md"),
    ).map(([name, byDefault]) => [codeOf(name), codeOf(byDefault)] as const);

    const names = [...options.matchAll(/^ {2}readonly (\w+)\?:/gmu)].map(([, name = ""]) => name);
    const { layout, policy } = sessionSettings();

    expect(rows.map(([name]) => name).toSorted()).toEqual(names.toSorted());
    expect(rows).toContainEqual(["store", storeKinds[0]]);
    expect(rows).toContainEqual(["layout", layout.name]);
    expect(rows).toContainEqual(["policy", policy.name]);
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

  it("state every numbered decision that the code cites", () => {
    const files = globSync("packages/*/src/**/*.ts", { cwd: root });
    const cited = files.flatMap((file) =>
      [...read(file).matchAll(/\bdecisions? (D\d+)/gu)].map(([, number]) => number),
    );

    const stated = tableUnder("## Decisions", read("docs/specification.md")).map(
      ([number]) => number,
    );

    expect(cited).not.toEqual([]);
    expect(cited.filter((number) => !stated.includes(number))).toEqual([]);
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
