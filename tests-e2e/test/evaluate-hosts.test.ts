import { EvaluateError, openAiSdkHost, openPiHost } from "@self-context-manager/evaluate";
import { openAnthropicModel, type Reply, toolCalls } from "@self-context-manager/evaluate/loopback";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";

import { openHostRun, processesIn, runKey } from "../src/host-run.ts";
import { piInstallation, piVersions } from "../src/pi-versions.ts";

const files = { "a.txt": "The port is 4711.\n" };

const answer = (text: string): Reply => ({ type: "text", text });

const refused: Reply = { type: "error", status: 400, message: "no such luck" };

// After a refusal as overloaded, Pi 0.73.1 repeats the request within its run, and after this in a new run.
const brokenOff: Reply = { type: "disconnect", text: "it is" };

describe.each(piVersions)("Pi $version as a host", (pi) => {
  const host = openPiHost({ cli: piInstallation(pi).packageFolder });

  test("knows its version", () => {
    expect(`${host.name} ${host.version}`).toBe(`pi ${pi.version}`);
  });

  test.each(["plain", "default"])("works on a prompt with tools in the arm %s", async (arm) => {
    const script = [
      toolCalls(["c1", "read", { path: "a.txt" }]),
      toolCalls(["c2", "bash", { command: "echo $HOME; pwd" }]),
      answer("It is 4711."),
    ];
    await using run = await openHostRun({ host, arm, files, script });

    const said = await run.prompt("Which port?");

    expect(said).toEqual({ text: "It is 4711." });
    expect(run.model.failures).toEqual([]);
    expect(run.model.requests[1]?.promptText).toContain("The port is 4711.");
    // Nothing of the user's machine: the home is one of the run.
    expect(run.model.requests[2]?.promptText).toContain(join(run.home, "user"));
    expect(run.model.requests[2]?.promptText).toContain(run.workspace);
    expect(run.model.requests[0]?.tools.map(({ name }) => name).includes("activate")).toBe(
      arm === "default",
    );
    expect((await run.stored()).includes("store.sqlite")).toBe(arm === "default");
  });

  test("returns the error of a provider, and works on", async () => {
    await using run = await openHostRun({ host, arm: "plain", script: [refused, answer("fine")] });

    expect(await run.prompt("one")).toMatchObject({
      text: "",
      error: expect.stringContaining("no such luck"),
    });
    expect(await run.prompt("two")).toEqual({ text: "fine" });
  });

  test("waits until the host has tried again", async () => {
    await using run = await openHostRun({
      host,
      arm: "plain",
      script: [brokenOff, answer("fine")],
    });

    expect(await run.prompt("one")).toEqual({ text: "fine" });
    expect(run.model.requests).toHaveLength(2);
  });

  test("ends a turn when the signal is aborted, and works on", async () => {
    await using run = await openHostRun({
      host,
      arm: "default",
      script: [{ type: "hang", text: "let me think" }, answer("fine")],
    });
    const aborting = new AbortController();

    const ended = run.session.prompt("one", { signal: aborting.signal });
    await run.model.received(0);
    aborting.abort();

    expect((await ended).error).toContain("aborted");
    expect(await run.prompt("two")).toEqual({ text: "fine" });
  });

  test("begins a new session in the same workspace and store", async () => {
    const script = [
      toolCalls(["c1", "write", { path: "note.md", content: "# Kept\n" }]),
      answer("written"),
      answer("new"),
    ];
    await using run = await openHostRun({ host, arm: "default", script });
    await run.prompt("write it");

    await run.session.newSession();
    const said = await run.prompt("go on");

    expect(said).toEqual({ text: "new" });
    expect(run.model.requests[2]?.promptText).not.toContain("write it");
    expect(existsSync(join(run.workspace, "note.md"))).toBe(true);
    expect(await readdir(join(run.home, "agent", "sessions"), { recursive: true })).toEqual(
      expect.arrayContaining([expect.stringMatching(/\.jsonl$/u)]),
    );
  });

  test("leaves no process and no key behind", async () => {
    const command =
      "nohup sleep 1000 >/dev/null 2>&1 & setsid sleep 1001 >/dev/null 2>&1 & echo ok";
    const script = [toolCalls(["c1", "bash", { command }]), answer("started")];
    const run = await openHostRun({ host, arm: "default", script });
    const { home } = run;
    await run.prompt("start it");
    const running = processesIn(home).filter((line) => line.startsWith("sleep"));
    const kept = await textsIn(home);

    await run[Symbol.asyncDispose]();

    expect(running).toHaveLength(2);
    expect(processesIn(home)).toEqual([]);
    expect(kept).toContain("loopback-1");
    expect(kept).not.toContain(runKey);
  });

  test("says why a process that ended in a turn gives no answer", async () => {
    const command = "kill -9 $PPID";
    const script = [toolCalls(["c1", "bash", { command }])];
    await using run = await openHostRun({ host, arm: "plain", script });

    expect((await run.prompt("one")).error).toMatch(/Pi ended .*SIGKILL/u);
    expect((await run.prompt("two")).error).toMatch(/Pi has ended: SIGKILL/u);
    await expect(run.session.newSession()).rejects.toThrow(/cannot begin a new session/u);
  });

  test("is an error of the host if the extension cannot be loaded", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-extension-"));
    const extension = join(folder, "broken.ts");
    await writeFile(extension, "throw new Error('not today');");
    const broken = openPiHost({ cli: piInstallation(pi).cli, extension });

    const opening = openHostRun({ host: broken, arm: "default", script: [] });

    await expect(opening).rejects.toSatisfy(
      (error) =>
        EvaluateError.is(error) &&
        error.code === "EVALUATE_HOST" &&
        /not today/u.test(error.message),
    );
    await rm(folder, { recursive: true });
  });
});

test("Pi compacts at the tokens of the arm", async () => {
  const host = openPiHost({ cli: piInstallation(piVersions[0] ?? lacking()).packageFolder });
  const long = "word ".repeat(3_000);
  await using run = await openHostRun({
    host,
    arm: "compaction:3000",
    // A request for a summary has no tools.
    script: ({ tools, index }) => answer(tools.length === 0 ? "SUMMARY" : `${long}${index}`),
  });

  await run.prompt("one");
  await run.prompt("two");
  await run.prompt("three");

  const requests = run.model.requests.filter(({ tools }) => tools.length > 0);
  expect(requests[0]?.promptText).not.toContain("SUMMARY");
  expect(requests[2]?.promptText).toContain("SUMMARY");
});

test("a tool that the arm leaves out is not offered", async () => {
  const host = openPiHost({ cli: piInstallation(piVersions.at(-1) ?? lacking()).packageFolder });
  await using run = await openHostRun({ host, arm: "no-find", script: [answer("fine")] });

  await run.prompt("one");

  const tools = run.model.requests[0]?.tools.map(({ name }) => name) ?? [];
  expect(tools).toContain("activate");
  expect(tools).not.toContain("find_objects");
});

test("calls of activate are refused if the arm leaves it out, and the context is managed", async () => {
  const host = openPiHost({ cli: piInstallation(piVersions.at(-1) ?? lacking()).packageFolder });
  const script = [toolCalls(["c1", "activate", { id: "t1" }]), answer("fine")];
  await using run = await openHostRun({ host, arm: "no-activate", script });

  await run.prompt("one");

  expect(run.model.requests[0]?.promptText).toContain("# Objects");
  expect(run.model.requests[1]?.promptText).toContain("activate is not available in this session");
});

test("another extension is installed with npm and loaded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "scm-extension-"));
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "other", version: "1.0.0", pi: { extensions: ["./index.ts"] } }),
  );
  await writeFile(
    join(folder, "index.ts"),
    `export default (pi) => pi.on("before_agent_start", ({ systemPrompt }) => ({ systemPrompt: systemPrompt + " OTHER" }));`,
  );
  const host = openPiHost({ cli: piInstallation(piVersions.at(-1) ?? lacking()).packageFolder });
  const arm = { name: "other", title: "", isManaged: false, environment: {}, extension: folder };
  await using run = await openHostRun({ host, arm, script: [answer("fine")] });

  await run.prompt("one");

  expect(run.model.requests[0]?.promptText).toContain("OTHER");
  await rm(folder, { recursive: true });
});

describe("an agent on the AI SDK as a host", async () => {
  const host = await openAiSdkHost();

  test.each(["plain", "default"])("works on a prompt with tools in the arm %s", async (arm) => {
    const edits = [{ oldText: "4711", newText: "4712" }];
    const script = [
      toolCalls(["c1", "read", { path: "a.txt" }]),
      toolCalls(
        ["c2", "edit", { path: "a.txt", edits }],
        ["c3", "bash", { command: "echo $HOME" }],
      ),
      answer("It is 4712."),
    ];
    await using run = await openHostRun({ host, arm, files, script });

    const said = await run.prompt("Raise the port.");

    expect(said).toEqual({ text: "It is 4712." });
    expect(run.model.failures).toEqual([]);
    expect(run.model.requests[1]?.promptText).toContain("The port is 4711.");
    expect(run.model.requests[2]?.promptText).toContain(join(run.home, "user"));
    expect(await readFile(join(run.workspace, "a.txt"), "utf8")).toBe("The port is 4712.\n");
    expect(run.model.requests[0]?.promptText.includes("# Objects")).toBe(arm === "default");
    expect((await run.stored()).includes("store.sqlite")).toBe(arm === "default");
  });

  test("speaks the protocol of Anthropic", async () => {
    await using model = await openAnthropicModel({ script: () => answer("fine") });
    const access = { api: "anthropic-messages", url: model.url, id: "claude-sonnet-4-5" } as const;
    await using run = await openHostRun({ host, arm: "default", script: [], access });

    expect(await run.prompt("one")).toEqual({ text: "fine" });
  });

  test("returns the error of a provider, and keeps the steps before it", async () => {
    const script = [toolCalls(["c1", "read", { path: "a.txt" }]), refused, answer("fine")];
    await using run = await openHostRun({ host, arm: "default", files, script });

    const failed = await run.prompt("one");
    const next = await run.prompt("two");

    expect(failed).toEqual({ text: "", error: "no such luck" });
    expect(next).toEqual({ text: "fine" });
    expect(run.model.requests[2]?.promptText).toContain("The port is 4711.");
  });

  test("ends a turn when the signal is aborted, also within a command", async () => {
    const command = "sleep 1000 & sleep 1001";
    const script = [
      { type: "hang", text: "let me think" } as const,
      toolCalls(["c1", "bash", { command }]),
      answer("fine"),
    ];
    await using run = await openHostRun({ host, arm: "default", script });
    const [first, second] = [new AbortController(), new AbortController()];

    const thinking = run.session.prompt("one", { signal: first.signal });
    await run.model.received(0);
    first.abort();
    const aborted = [await thinking];
    const working = run.session.prompt("two", { signal: second.signal });
    await vi.waitFor(() => expect(run.processes()).toHaveLength(3));
    second.abort();
    aborted.push(await working);

    expect(aborted.map(({ error }) => error)).toEqual(Array(2).fill("the turn was aborted"));
    expect(await run.prompt("three")).toEqual({ text: "fine" });
    await vi.waitFor(() => expect(run.processes()).toEqual([]));
  });

  test("begins a new session in the same store, and leaves no process behind", async () => {
    const command = "setsid sleep 1000 >/dev/null 2>&1 & echo started";
    const script = [toolCalls(["c1", "bash", { command }]), answer("one"), answer("two")];
    const run = await openHostRun({ host, arm: "default", script });
    await run.prompt("start it");

    await run.session.newSession();
    const said = await run.prompt("go on");
    const before = run.processes();
    await run[Symbol.asyncDispose]();

    expect(said).toEqual({ text: "two" });
    expect(run.model.requests[2]?.promptText).not.toContain("start it");
    expect(before).toHaveLength(1);
    expect(run.processes()).toEqual([]);
  });

  test("refuses an arm that it cannot run", async () => {
    await expect(openHostRun({ host, arm: "compaction", script: [] })).rejects.toThrow(
      /the arm compaction needs a compaction, which the AI SDK as a host does not have; use pi/u,
    );
  });

  test("refuses the calls of tools that the arm leaves out", async () => {
    const script = [toolCalls(["c1", "find_objects", { words: "port" }]), answer("fine")];
    await using run = await openHostRun({ host, arm: "no-find", script });

    await run.prompt("one");

    expect(run.model.requests[0]?.promptText).toContain("# Objects");
    expect(run.model.requests[1]?.promptText).toContain("find_objects is not available");
  });
});

async function textsIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(paths.map(async (path) => await readFile(path, "latin1")))).join("\n");
}

function lacking(): never {
  throw new TypeError("no release of Pi is tested");
}
