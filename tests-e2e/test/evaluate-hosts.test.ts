import { EvaluateError, openPiHost } from "@self-context-manager/evaluate";
import { type Reply, toolCalls } from "@self-context-manager/evaluate/loopback";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { openHostRun, processesIn } from "../src/host-run.ts";
import { piInstallation, piVersions } from "../src/pi-versions.ts";

const files = { "a.txt": "The port is 4711.\n" };

const answer = (text: string): Reply => ({ type: "text", text });

const refused: Reply = { type: "error", status: 400, message: "no such luck" };

const overloaded: Reply = { type: "error", status: 529, message: "overloaded" };

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
      script: [overloaded, answer("fine")],
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
    expect(kept).not.toContain("secret-key");
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
