import { openOpenClawHost } from "@self-context-manager/evaluate";
import { toolCalls } from "@self-context-manager/evaluate/loopback";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";

import { openHostRun, runKey } from "../src/host-run.ts";
import { installedOpenClaw, openClawProblem } from "../src/openclaw/install-openclaw.ts";

const problem = await openClawProblem();

const files = { "a.txt": "The port is 4711.\n" };

// A gateway takes long to start, so each of these tests tries several properties of one.
describe.skipIf(problem !== undefined)("a gateway of OpenClaw as a host", () => {
  it("works on prompts, begins new sessions, and returns errors and aborted turns", async () => {
    const host = openOpenClawHost({ cli: await installedOpenClaw() });
    const run = await openHostRun({
      host,
      arm: "default",
      files,
      script: [
        toolCalls(["c1", "read", { path: "a.txt" }]),
        toolCalls(["c2", "exec", { command: "setsid sleep 1000 >/dev/null 2>&1 & echo $HOME" }]),
        { type: "text", text: "It is 4711." },
        { type: "error", status: 400, message: "no such luck" },
        { type: "hang", text: "let me think" },
        { type: "text", text: "new" },
      ],
    });
    const aborting = new AbortController();

    const said = await run.prompt("Which port?");
    const failed = await run.prompt("again");
    const ended = run.session.prompt("think", { signal: aborting.signal });
    await run.model.received(4);
    aborting.abort();
    const aborted = await ended;
    await run.session.newSession();
    const next = await run.prompt("go on");
    const withKey = await filesWith(run.home, runKey);
    const withModel = await filesWith(run.home, "loopback-1");
    const stored = await run.stored();
    await run[Symbol.asyncDispose]();

    const [first, second, third, , , last] = run.model.requests;
    expect(said).toEqual({ text: "It is 4711." });
    expect(first?.promptText).toContain("# Objects");
    expect(second?.promptText).toContain("The port is 4711.");
    expect(third?.promptText).toContain(join(run.home, "user"));
    expect(failed).toMatchObject({ text: "", error: expect.stringMatching(/.{8}/u) });
    expect(aborted).toEqual({ text: "", error: "the turn was aborted" });
    expect(next).toEqual({ text: "new" });
    expect(last?.promptText).not.toContain("Which port?");
    expect(run.model.failures).toEqual([]);
    expect(stored).toContain("store.sqlite");
    expect(withModel).toContain("openclaw.json");
    expect(withKey).toEqual([]);
    expect(run.processes()).toEqual([]);
  });

  it("works without the plugin in the arm plain", async () => {
    const host = openOpenClawHost({ cli: await installedOpenClaw() });
    const script = [{ type: "text", text: "fine" }] as const;
    await using run = await openHostRun({ host, arm: "plain", files, script });

    expect(await run.prompt("one")).toEqual({ text: "fine" });
    expect(run.model.requests[0]?.promptText).not.toContain("# Objects");
    expect(await run.stored()).toEqual([]);
  });

  it("refuses an arm that it cannot run", async () => {
    const host = openOpenClawHost({ cli: await installedOpenClaw() });

    await expect(openHostRun({ host, arm: "literal", script: [] })).rejects.toThrow(
      /the arm literal needs SCM_LAYOUT, which OpenClaw as a host does not have; use pi/u,
    );
  });
});

/** The files that have a text, by their paths in the folder. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(
    paths.map(async (path) => ((await readFile(path, "latin1")).includes(text) ? [path] : [])),
  );
  return found.flat().map((path) => relative(folder, path));
}
