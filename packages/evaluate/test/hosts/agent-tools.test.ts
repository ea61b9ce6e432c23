import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { agentTools, type Arguments } from "../../src/hosts/agent-tools.ts";

interface Tried extends AsyncDisposable {
  readonly folder: string;
  run(tool: string, args: Arguments, signal?: AbortSignal): Promise<string>;
}

async function openTools(files: Readonly<Record<string, string>> = {}): Promise<Tried> {
  const folder = await mkdtemp(join(tmpdir(), "scm-tools-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const environment = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const tools = agentTools({ folder, environment });
  return {
    folder,
    run: async (tool, args, signal) => (await tools[tool]?.run(args, signal)) ?? "",
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

describe("read", () => {
  it("returns the whole text, or some lines of it with the next line", async () => {
    await using tools = await openTools({ a: "one\ntwo\nthree\n" });

    expect(await tools.run("read", { path: "a" })).toBe("one\ntwo\nthree\n");
    expect(await tools.run("read", { path: "a", offset: 2, limit: 1 })).toBe(
      "two\n\n[2 more lines in file. Use offset=3 to continue.]",
    );
    await expect(tools.run("read", { path: "a", offset: 9 })).rejects.toThrow("4 lines");
  });

  it("returns at most 2000 lines and 50 KB", async () => {
    await using tools = await openTools({ many: "x\n".repeat(5_000), wide: "y".repeat(60_000) });

    const text = await tools.run("read", { path: "many" });

    expect(text).toMatch(/^(?:x\n){1999}x\n\n\[3001 more lines in file\. Use offset=2001/u);
    await expect(tools.run("read", { path: "wide" })).rejects.toThrow("longer than 50 KB");
  });
});

describe("edit", () => {
  it("replaces texts that are in the file once, all matched against the file as it was", async () => {
    await using tools = await openTools({ a: "one two three" });
    const edits = [
      { oldText: "three", newText: "one" },
      { oldText: "one", newText: "$&four" },
    ];

    await tools.run("edit", { path: "a", edits });

    expect(await readFile(join(tools.folder, "a"), "utf8")).toBe("$&four two one");
  });

  it.each([
    ["that is not there", [{ oldText: "five", newText: "" }], /not in a: "five"/u],
    ["that is there twice", [{ oldText: "o", newText: "" }], /more than once/u],
    ["that is empty", [{ oldText: "", newText: "" }], /not in a/u],
    [
      "that overlaps another one",
      [
        { oldText: "one t", newText: "" },
        { oldText: "two", newText: "" },
      ],
      /overlap/u,
    ],
    ["that is no text", [{ oldText: 1 }], /oldText must be a text/u],
  ])("refuses a text %s, and the file stays", async (_, edits, message) => {
    await using tools = await openTools({ a: "one two three" });

    await expect(tools.run("edit", { path: "a", edits })).rejects.toThrow(message);
    expect(await readFile(join(tools.folder, "a"), "utf8")).toBe("one two three");
  });

  it("takes a single edit beside the path too", async () => {
    await using tools = await openTools({ a: "one" });

    await tools.run("edit", { path: "a", oldText: "one", newText: "two" });

    expect(await readFile(join(tools.folder, "a"), "utf8")).toBe("two");
  });
});

describe("write", () => {
  it("makes the folders of the file", async () => {
    await using tools = await openTools();

    await tools.run("write", { path: "b/c.txt", content: "é" });

    expect(await readFile(join(tools.folder, "b/c.txt"), "utf8")).toBe("é");
  });
});

describe("bash", () => {
  it("returns both outputs, and fails with the exit code", async () => {
    await using tools = await openTools();

    expect(await tools.run("bash", { command: "echo one; echo two >&2" })).toMatch(/one|two/u);
    expect(await tools.run("bash", { command: "true" })).toBe("(no output)");
    await expect(tools.run("bash", { command: "echo why; exit 3" })).rejects.toThrow(
      "why\n\nCommand exited with code 3",
    );
  });

  it("returns the last 2000 lines of a long output", async () => {
    await using tools = await openTools();

    const text = await tools.run("bash", { command: "seq 1 3000" });

    expect(text).toMatch(/^\[1000 lines before are left out\]\n1001\n[^]*\n3000$/u);
  });

  it("does not wait for what a command leaves in the background", async () => {
    await using tools = await openTools();

    const text = await tools.run("bash", { command: "sleep 30 & echo $!" });
    process.kill(Number(text), "SIGKILL");

    expect(text).toMatch(/^\d+$/u);
  });

  it("ends a command at its time limit, and when the signal is aborted", async () => {
    await using tools = await openTools();
    const command = "echo begun; sleep 30; echo done";

    await expect(tools.run("bash", { command, timeout: 0.1 })).rejects.toThrow(
      "begun\n\nCommand timed out after 0.1 seconds",
    );
    await expect(tools.run("bash", { command }, AbortSignal.abort())).rejects.toThrow(
      "Command aborted",
    );
  });
});
