import { mkdir, readdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import {
  type LoopbackModel,
  openLoopbackModel,
  openLoopbackServer,
  toolCalls,
} from "@self-context-manager/evaluate/loopback";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { describe, expect, test } from "vitest";

import { openPiRpc } from "../src/pi-rpc.ts";
import { openManagedRpc } from "../src/managed-rpc.ts";
import { adapterFolder, pooled } from "../src/managed-run.ts";
import { managedFiles, secretOf } from "../src/managed-script.ts";
import { piCommand } from "../src/pi-command.ts";
import { piPrint, type PiPrintOptions } from "../src/pi-print.ts";
import type { PiExit } from "../src/pi-process.ts";
import { type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace, type PiWorkspace } from "../src/pi-workspace.ts";
import { saidTo } from "../src/wire-rules.ts";

/** Returns the forms of a situation that this run has: all if the adapter has changed, otherwise the first. */
const formsOf = <Form>(forms: readonly Form[]): readonly Form[] =>
  runsEveryForm("adapter-pi") ? forms : forms.slice(0, 1);

const plainTools = ["bash", "edit", "read", "write"];
const ownTools = ["activate", "deactivate", "find_objects", "pin", "unpin"];

/** Opens a model that reads a file and then answers any number of prompts. */
const reader = async (): Promise<LoopbackModel> =>
  openLoopbackModel({
    script: ({ messages }, index) =>
      messages.some(({ role }) => role === "tool") || index > 1
        ? { type: "text", text: "Read." }
        : toolCalls(["call_a", "read", { path: "a.txt" }]),
  });

/** Has the model read a file, in Pi's print mode with the extension. */
const printRead = async (
  pi: PiVersion,
  workspace: PiWorkspace,
  options: Partial<PiPrintOptions> = {},
): Promise<PiExit> =>
  await piPrint({ pi, workspace, prompt: "read it", extensions: [adapterFolder], ...options });

/** Checks that the requests are those that Pi sends without the extension. */
const expectUntouched = (model: LoopbackModel): void => {
  expect(model.failures).toEqual([]);
  expect(model.requests).toHaveLength(2);
  for (const { messages, tools } of model.requests) {
    expect(tools.map(({ name }) => name).toSorted()).toEqual(plainTools);
    expect(messages[0]?.text).not.toContain("# Objects");
  }
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
  ]);
  expect(model.requests[1]?.messages[3]?.text).toContain(secretOf("a.txt"));
};

const notices = (text: string): number => text.split("self-context-manager:").length - 1;

/** How long Pi waits for a store that does not answer, in milliseconds. */
const storePatience = 2_000;

/** Returns the shortest time that a run took, in milliseconds. A busy machine delays not each of them so much. */
const shortest = async (run: () => Promise<void>): Promise<number> => {
  const times: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
};

/** Returns the permissions of a folder and of everything in it. */
const everyMode = async (
  folder: string,
): Promise<readonly { readonly path: string; readonly mode: number }[]> => {
  const names = await readdir(folder, { recursive: true });
  const paths = [folder, ...names.map((name) => join(folder, name))];
  return await Promise.all(
    paths.map(async (path) => ({ path, mode: (await stat(path)).mode & 0o777 })),
  );
};

describe.each(piVersions)("Pi $version", (pi) => {
  test.each(
    formsOf([
      [
        "not a database",
        async (path: string) => writeFile(path, "no database at all\n".repeat(99)),
      ] as const,
      ["a folder", async (path: string) => mkdir(path)] as const,
    ]),
  )(
    "continues without the store when it is %s and notifies the user once",
    async (_name, breakStore) => {
      await using model = await reader();
      await using workspace = await openPiWorkspace({ model, files: managedFiles });
      const store = join(workspace.agentFolder, "store");
      await breakStore(store);

      const environment = { ...pooled, SCM_STORE: store };
      const exit = await printRead(pi, workspace, { environment });

      expect(exit).toMatchObject({ exitCode: 0, stdout: "Read.\n" });
      expect(notices(exit.stderr)).toBe(1);
      expect(exit.stderr).toContain(store);
      expectUntouched(model);
    },
  );

  test("notifies the user at once of a place where no folder can be made", async () => {
    await using model = await reader();
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const environment = { ...pooled, SCM_STORE: "/proc/self-context-manager/store.sqlite" };

    const exit = await printRead(pi, workspace, { environment });

    expect(exit).toMatchObject({ exitCode: 0, stdout: "Read.\n" });
    expect(notices(exit.stderr)).toBe(1);
    expect(exit.stderr).toContain("/proc/self-context-manager/store.sqlite");
    expectUntouched(model);
  });

  test.each(formsOf(["SCM_EPOCHS", "SCM_BREAKPOINTS", "SCM_LAYOUT"]))(
    "continues with a wrong %s and notifies the user of the values that it can have",
    async (name) => {
      await using model = await reader();
      await using workspace = await openPiWorkspace({ model, files: managedFiles });
      const store = join(workspace.agentFolder, "store.sqlite");

      const environment = { SCM_STORE: store, [name]: "both" };
      const exit = await printRead(pi, workspace, { environment });

      expect(exit).toMatchObject({ exitCode: 0, stdout: "Read.\n" });
      expect(notices(exit.stderr)).toBe(1);
      expect(exit.stderr).toMatch(new RegExp(`${name} is "both"; it must be `, "u"));
      expect(exit.stderr).not.toContain("next call");
      expectUntouched(model);
    },
  );

  test("ends epochs by SCM_EPOCHS: an inactive output of any size leaves with the next call", async () => {
    await using model = await openLoopbackModel({
      script: [
        toolCalls(["call_a", "bash", { command: "printf 'one%s' two" }]),
        toolCalls(["call_b", "bash", { command: "printf 'three%s' four" }]),
        { type: "text", text: "Done." },
      ],
    });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const environment = {
      SCM_STORE: join(workspace.agentFolder, "store.sqlite"),
      SCM_EPOCHS: '{"deactivate":"immediate"}',
      SCM_POLICY: "window",
      SCM_WINDOW_CALLS: "1",
    };

    const exit = await printRead(pi, workspace, { environment });

    expect(exit).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
    const [, second, third] = model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(second).toContain("onetwo");
    expect(third).not.toContain("onetwo");
    expect(third).toContain("[t1 ok, 6 chars]");
    expect(third).toContain("threefour");
  });

  test("stores no session in which the user only looks", async () => {
    await using model = await reader();
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const path = join(workspace.agentFolder, "store.sqlite");
    const look = { environment: { SCM_STORE: path }, prompt: "/context" };

    const exits = [await printRead(pi, workspace, look), await printRead(pi, workspace, look)];

    await using store = await openSqliteStore({ path });
    expect(exits.map(({ stderr }) => stderr)).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining("No objects are known yet.")),
    );
    expect((await store.find({})).items).toEqual([]);
    expect(model.requests).toEqual([]);
  });

  test("delays little while another program locks the store, and then ingests what was missed", async () => {
    await using model = await openLoopbackModel({
      script: ({ messages }) =>
        messages.at(-1)?.text === "read it"
          ? toolCalls(["call_a", "read", { path: "a.txt" }])
          : { type: "text", text: "Read." },
    });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const store = join(workspace.agentFolder, "store.sqlite");
    const environment = { ...pooled, SCM_STORE: store };
    await using rpc = await openPiRpc({ pi, workspace, environment, extensions: [adapterFolder] });
    await rpc.prompt("before");
    const other = new DatabaseSync(store);
    other.exec("BEGIN IMMEDIATE");
    const from = model.requests.length;

    await rpc.prompt("read it");
    const later = await shortest(async () => await rpc.prompt("read it"));
    const untouched = model.requests.slice(from);
    other.exec("ROLLBACK");
    other.close();
    await rpc.prompt("after");

    const said = rpc.events.filter((line) => line["method"] === "notify");
    expect(said).toHaveLength(1);
    expect(said[0]?.["message"]).toMatch(/another program keeps it locked/u);
    expect(later).toBeLessThan(storePatience);
    expect(untouched).toHaveLength(8);
    expect(untouched[1]?.messages.at(-1)?.text).toContain(secretOf("a.txt"));
    const last = model.requests.at(-1)?.messages ?? [];
    expect(last.find(({ text }) => text.startsWith("Known objects"))).toBeDefined();
    for (const text of ["before", "read it", "after"])
      expect(last.map((message) => message.text)).toContain(text);
  });

  test.each(
    formsOf([
      ["accepts requests and never answers", true] as const,
      ["cannot be reached", false] as const,
    ]),
  )("delays little while an XTDB node %s", async (_name, accepts) => {
    await using model = await openLoopbackModel({
      script: ({ messages }) =>
        messages.at(-1)?.text === "read it"
          ? toolCalls(["call_a", "read", { path: "a.txt" }])
          : { type: "text", text: "Read." },
    });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    await using node = await openLoopbackServer(
      async () => await new Promise(() => undefined),
      () => undefined,
    );
    if (!accepts) await node[Symbol.asyncDispose]();
    const environment = { ...pooled, SCM_STORE: node.origin };
    await using rpc = await openPiRpc({ pi, workspace, environment, extensions: [adapterFolder] });
    await rpc.prompt("read it");
    const later = await shortest(async () => await rpc.prompt("read it"));

    const said = rpc.events.filter((line) => line["method"] === "notify");
    expect(said).toHaveLength(1);
    expect(said[0]?.["message"]).toContain(node.origin);
    expect(later).toBeLessThan(storePatience);
    expect(model.requests.at(-1)?.messages.map(({ text }) => text)).toContain("read it");
  });

  test("begins a new store when the store is renamed, and ingests everything again", async () => {
    await using model = await openLoopbackModel({
      script: ({ messages }) =>
        messages.at(-1)?.text === "read it"
          ? toolCalls(["call_a", "bash", { command: "cat a.txt" }])
          : { type: "text", text: "Read." },
    });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const folder = join(workspace.agentFolder, "kept");
    const environment = { ...pooled, SCM_STORE: join(folder, "store.sqlite") };
    await using rpc = await openPiRpc({ pi, workspace, environment, extensions: [adapterFolder] });
    await rpc.prompt("read it");
    await rename(folder, `${folder}.old`);

    await rpc.prompt("after");
    await rpc.prompt("and after");
    const exit = await rpc.close();

    const said = rpc.events.filter((line) => line["method"] === "notify");
    expect(said).toHaveLength(1);
    expect(said[0]?.["message"]).toMatch(/was deleted or renamed while it was open.*new store/u);
    const last = model.requests.at(-1)?.messages ?? [];
    for (const text of ["read it", "after", "and after"])
      expect(last.map((message) => message.text)).toContain(text);
    expect(last.map(({ text }) => text).join("\n")).toContain(secretOf("a.txt"));
    expect(exit.stderr).toBe("");
    await using store = await openSqliteStore({ path: join(folder, "store.sqlite") });
    const { items } = await store.find({ where: { type: "toolcall" } });
    expect(items).toHaveLength(1);
  });

  test("writes nothing of a session that Pi keeps in memory", async () => {
    await using model = await reader();
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const folder = join(workspace.agentFolder, "kept");
    const environment = { ...pooled, SCM_STORE: join(folder, "store.sqlite") };

    const exit = await printRead(pi, workspace, { environment, arguments: ["--no-session"] });

    expect(exit).toMatchObject({ exitCode: 0, stdout: "Read.\n", stderr: "" });
    expect(model.requests[1]?.messages[1]?.text).toMatch(/^Known objects/u);
    expect(await readdir(workspace.agentFolder)).not.toContain("kept");
  });

  test("keeps its store for the user alone, also in a default folder that others could read", async () => {
    await using model = await reader();
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const data = join(workspace.agentFolder, "data");
    const folder = join(data, "self-context-manager");
    await mkdir(folder, { recursive: true, mode: 0o755 });

    await printRead(pi, workspace, { environment: { ...pooled, XDG_DATA_HOME: data } });

    const open = (await everyMode(folder)).filter(({ mode }) => (mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  test("reports the missing module on a Node without node:sqlite, and continues without the store", async () => {
    await using model = await reader();
    await using workspace = await openPiWorkspace({ model, files: managedFiles });

    const environment = { NODE_OPTIONS: "--no-experimental-sqlite" };
    const exit = await printRead(pi, workspace, { environment });

    expect(exit).toMatchObject({ exitCode: 0, stdout: "Read.\n" });
    expect(notices(exit.stderr)).toBe(1);
    expect(exit.stderr).toMatch(/node:sqlite/u);
    expectUntouched(model);
  });

  test.each([
    ["SCM_OFF=1", { environment: { SCM_OFF: "1" } }],
    ["--scm-off", { arguments: ["--scm-off"] }],
  ])("behaves like plain Pi with %s", async (_name, how) => {
    await using model = await reader();
    await using workspace = await openPiWorkspace({ model, files: managedFiles });

    const exit = await printRead(pi, workspace, how);

    expect(exit).toMatchObject({ exitCode: 0, stdout: "Read.\n", stderr: "" });
    expectUntouched(model);
  });

  test.each([
    ["--tools read,grep,activate", ["--tools", "read,grep,activate"], ["activate", "grep", "read"]],
    ["--no-builtin-tools", ["--no-builtin-tools"], ownTools],
  ])("keeps the user's selection of tools with %s", async (_name, arguments_, expected) => {
    await using model = await openLoopbackModel({ script: [{ type: "text", text: "Well." }] });
    await using workspace = await openPiWorkspace({ model });

    const exit = await printRead(pi, workspace, { arguments: arguments_ });

    expect(exit).toMatchObject({ exitCode: 0, stderr: "" });
    expect(model.requests[0]?.tools.map(({ name }) => name).toSorted()).toEqual(expected);
  });

  test("keeps all contents in view for a model without activate", async () => {
    await using model = await reader();
    await using workspace = await openPiWorkspace({ model, files: managedFiles });

    await printRead(pi, workspace, { arguments: ["--tools", "read,bash"] });

    expect(model.requests[0]?.tools.map(({ name }) => name).toSorted()).toEqual(["bash", "read"]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool" });
    expect(model.requests[1]?.messages.at(-1)?.text).toContain(secretOf("a.txt"));
    expect(model.requests[0]?.messages[0]?.text).not.toContain("# Objects");
  });

  test("manages the context after `pi install` has installed the folder", async () => {
    await using model = await reader();
    await using workspace = await openPiWorkspace({ model, files: managedFiles });

    const installed = await piCommand({ pi, workspace, arguments: ["install", adapterFolder] });
    const exit = await piPrint({ pi, workspace, prompt: "read it", discovery: true });
    const listed = await piPrint({
      pi,
      workspace,
      prompt: "/context",
      discovery: true,
      arguments: ["-c"],
    });

    expect([installed.exitCode, exit.exitCode, exit.stderr]).toEqual([0, 0, ""]);
    expect(model.requests[1]?.messages.find(({ role }) => role === "tool")?.text).toMatch(
      /^f1 a\.txt v1\n~~~\n/u,
    );
    expect(listed.exitCode).toBe(0);
    expect(listed.stderr).toMatch(/^1 of 1 known objects are active\.\nf1 +active +a\.txt /u);
    expect(model.requests).toHaveLength(2);
  });

  test("answers /context, and switches off and on", async () => {
    await using model = await reader();
    await using rpc = await openManagedRpc({ pi, model });
    const ask = async (command: string): Promise<unknown> => {
      const from = rpc.events.length;
      await rpc.prompt(command);
      const said = await rpc.event((line) => line["method"] === "notify", { from });
      return said["message"];
    };

    await rpc.prompt("read it");
    const listed = await ask("/context");
    const shown = await ask("/context show a.txt");
    const named = await ask("/context name f1 greeting");
    const pinned = await ask("/context pin greeting");
    const deactivated = await ask("/context deactivate greeting");
    const off = await ask("/context off");
    await rpc.prompt("while off");
    const on = await ask("/context on");
    await rpc.prompt("while on");

    expect(listed).toMatch(
      /^1 of 1 known objects are active\.\nf1 +active +a\.txt +\d+ chars, v1\n/u,
    );
    expect(shown).toContain(secretOf("a.txt"));
    expect([named, pinned]).toEqual(['f1 is called "greeting".', "f1 a.txt is pinned and active."]);
    expect(deactivated).toMatch(/^f1 a\.txt is inactive/u);
    expect([off, on]).toEqual([
      "Managed context is off; Pi's own messages are sent unchanged.",
      "Managed context is on.",
    ]);
    const [, , whileOff, whileOn] = model.requests;
    expect(whileOff?.tools.map(({ name }) => name).toSorted()).toEqual(plainTools);
    expect(whileOff?.messages[3]?.text).toContain(secretOf("a.txt"));
    expect(whileOn?.messages[1]?.text).toContain("f1 a.txt (greeting)");
    expect(whileOn === undefined ? "" : saidTo(whileOn)).not.toContain(secretOf("a.txt"));
    expect(whileOn?.messages.map(({ text }) => text)).toContain("while off");
    const status = rpc.events.findLast((line) => line["method"] === "setStatus");
    expect(status).toMatchObject({ statusKey: "scm" });
    expect(status?.["statusText"]).toMatch(/^ctx 0\/1 active, [\d.k]+ tokens, [\d.k]+ saved$/u);
  });
});
