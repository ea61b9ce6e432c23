import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { openLoopbackModel } from "../src/loopback-model.ts";
import type { LoopbackModel } from "../src/loopback-model.ts";
import { toolCalls } from "../src/loopback-reply.ts";
import { openManagedRpc } from "../src/managed-rpc.ts";
import { adapterFolder, pooled } from "../src/managed-run.ts";
import { managedFiles, secretOf } from "../src/managed-script.ts";
import { piCommand } from "../src/pi-command.ts";
import { piPrint, type PiPrintOptions } from "../src/pi-print.ts";
import type { PiExit } from "../src/pi-process.ts";
import { type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace, type PiWorkspace } from "../src/pi-workspace.ts";
import { saidTo } from "../src/wire-rules.ts";

const plainTools = ["bash", "edit", "read", "write"];
const ownTools = ["activate", "deactivate", "pin", "unpin"];

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
    expect(messages[0]?.text).not.toContain("Context objects");
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

describe.each(piVersions)("Pi $version", (pi) => {
  test.each([
    ["a folder", async (path: string) => mkdir(path)],
    ["not a database", async (path: string) => writeFile(path, "no database at all\n".repeat(99))],
  ])(
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
    expect(model.requests[0]?.messages[0]?.text).not.toContain("Context objects");
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
    expect(listed.stderr).toMatch(/^1 of 2 known objects are active\.\nf1 +active +a\.txt /u);
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
      /^1 of 2 known objects are active\.\nf1 +active +a\.txt +\d+ chars, v1\n/u,
    );
    expect(shown).toContain(secretOf("a.txt"));
    expect([named, pinned]).toEqual(['f1 is called "greeting".', "f1 a.txt is pinned and active."]);
    expect(deactivated).toMatch(/^f1 a\.txt is inactive/u);
    expect([off, on]).toEqual([
      "Managed context is off; the host's own messages are sent unchanged.",
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
    expect(status?.["statusText"]).toMatch(/^ctx 0\/2 active, [\d.k]+ tokens, [\d.k]+ saved$/u);
  });
});
