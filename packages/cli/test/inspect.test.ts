import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";

import { objectsOfType } from "./objects-of-type.ts";
import { storeWithCalls } from "./store-with-calls.ts";
import { type CliRun, page, run, type TemporaryStore } from "./temporary-store.ts";

/** Runs `scm inspect` on a store. It must not wait for its end. */
async function inspect(store: TemporaryStore, ...argv: readonly string[]): Promise<CliRun> {
  return await run(["inspect", ...argv], { SCM_STORE: store.at }, store.workspace, {
    interruption: async () => await Promise.reject(new Error("the command must not wait")),
  });
}

describe("scm inspect as a snapshot", () => {
  it("writes the session into a file that only the user can read", async () => {
    await using store = await storeWithCalls();

    const { code, stdout } = await inspect(store, "s1", "--out", "s1.html");

    const path = join(store.workspace, "s1.html");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^wrote \S+s1\.html \([\d.]+kB, 4 calls\): everything that the model saw is in it/u,
    );
    expect(await readFile(path, "utf8")).toContain("please build");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(store.workspace)).toSorted()).toEqual(["a.txt", "s1.html"]);
  });

  it("writes no text with --redact", async () => {
    await using store = await storeWithCalls();

    const { stdout } = await inspect(store, "s1", "--out", "s1.html", "--redact");

    const html = await readFile(join(store.workspace, "s1.html"), "utf8");
    expect(stdout).toContain("no text is in it");
    expect(html).not.toContain("please build");
    expect(html).toContain("[removed: 12 characters, 2 words]");
  });

  it("replaces a snapshot, and another file only with --force", async () => {
    await using store = await storeWithCalls();
    const path = join(store.workspace, "s1.html");
    await writeFile(path, "my notes");

    const refused = await inspect(store, "s1", "--out", "s1.html");
    const kept = await readFile(path, "utf8");
    const forced = await inspect(store, "s1", "--out", "s1.html", "--force");
    const again = await inspect(store, "s1", "--out", "s1.html");

    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("exists and is no snapshot; give another FILE, or --force");
    expect(kept).toBe("my notes");
    expect([forced.code, again.code]).toEqual([0, 0]);
  });

  it("replaces a snapshot without texts by one with texts only with --force", async () => {
    await using store = await storeWithCalls();
    const path = join(store.workspace, "s1.html");
    await inspect(store, "s1", "--out", "s1.html", "--redact");
    const redacted = await readFile(path, "utf8");

    const refused = await inspect(store, "s1", "--out", "s1.html");
    const kept = await readFile(path, "utf8");
    const again = await inspect(store, "s1", "--out", "s1.html", "--redact");
    const forced = await inspect(store, "s1", "--out", "s1.html", "--force");

    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("s1.html is a snapshot without texts");
    expect(kept).toBe(redacted);
    expect([again.code, forced.code]).toEqual([0, 0]);
    expect(await readFile(path, "utf8")).toContain("please build");
  });

  it("says how many calls of the session are damaged", async () => {
    await using store = await storeWithCalls();
    const sound = await inspect(store, "s1", "--out", "sound.html");
    const database = new DatabaseSync(store.at);
    const prompts = objectsOfType("system_prompt");
    database.exec(`UPDATE versions SET object_hash = zeroblob(32) WHERE object IN ${prompts}`);
    database.close();

    const { code, stderr } = await inspect(store, "s1", "--out", "s1.html");

    expect(sound.stderr).not.toContain("damaged");
    expect(code).toBe(0);
    expect(stderr).toContain("4 of 4 calls are damaged");
  });

  it.each([
    [["--redact"], 2, "--redact and --force need --out FILE"],
    [["s1", "--force"], 2, "--redact and --force need --out FILE"],
    [["--out", "x.html"], 2, "--out needs a SESSION"],
    [["nothing", "--out", "x.html"], 1, "the store has no session nothing"],
    [["s1", "--out", "missing/x.html"], 1, "the snapshot cannot be written"],
    [["s1", "--out", "folder"], 1, "is no file"],
    [["s1", "--export", "a.jsonl", "--at", "b"], 2, "--export names what is inspected"],
    [["s1", "--export", "none.jsonl"], 1, "there is no file"],
    [["s1", "--export", "a.txt"], 1, "line 1"],
  ] as const)("refuses %j", async (argv, code, message) => {
    await using store = await storeWithCalls();
    await mkdir(join(store.workspace, "folder"));

    const refused = await inspect(store, ...argv);

    expect(refused.code).toBe(code);
    expect(refused.stderr).toContain(message);
    expect(refused.stdout).toBe("");
    expect((await readdir(store.workspace)).toSorted()).toEqual(["a.txt", "folder"]);
  });

  it("leaves nothing behind if it fails", async () => {
    await using store = await storeWithCalls();
    const unfit = { script: "<!--", style: "" };
    const argv = ["inspect", "s1", "--out", "x.html"];

    const { code } = await run(argv, { SCM_STORE: store.at }, store.workspace, { page: unfit });

    expect(code).toBe(1);
    expect(await readdir(store.workspace)).toEqual(["a.txt"]);
  });
});

interface Running {
  readonly url: URL;
  readonly token: string;
  readonly note: string;
  /** Ends the command as Ctrl-C does. */
  end(): Promise<number>;
}

/** Runs `scm inspect` until it is ended. */
async function running(store: TemporaryStore, ...argv: readonly string[]): Promise<Running> {
  const interrupted = Promise.withResolvers<void>();
  const printed = Promise.withResolvers<string>();
  const noted = Promise.withResolvers<string>();
  const { runCli } = await import("../src/cli.ts");
  const code = runCli(
    ["inspect", ...argv],
    { stdout: (text) => printed.resolve(text), stderr: (text) => noted.resolve(text) },
    {
      environment: { SCM_STORE: store.at },
      folder: store.workspace,
      page,
      interruption: async () => await interrupted.promise,
    },
  );
  void code.then(() => printed.reject(new Error("the command has ended")));
  const url = new URL((await printed.promise).trim());
  return {
    url,
    token: /token=([\w-]+)/u.exec(url.hash)?.[1] ?? "",
    note: await noted.promise,
    end: async () => {
      interrupted.resolve();
      return await code;
    },
  };
}

async function answer({ url, token }: Running, path: string): Promise<unknown> {
  const response = await new Promise<AsyncIterable<Buffer>>((done, fail) => {
    const headers = { "x-scm-token": token };
    const asked = request({ host: "127.0.0.1", port: url.port, path, headers, agent: false }, done);
    asked.on("error", fail);
    asked.end();
  });
  let text = "";
  for await (const chunk of response) text += chunk.toString("utf8");
  return JSON.parse(text);
}

describe("scm inspect as a page", () => {
  it("prints the address of the session, and answers until it is ended", async () => {
    await using store = await storeWithCalls();

    const command = await running(store, "s1");

    const { sessions } = (await answer(command, "/api/sessions")) as {
      readonly sessions: readonly { readonly id: string; readonly hostId: string }[];
    };
    const session = sessions.find(({ hostId }) => hostId === "s1");
    expect(command.url.hash).toBe(`#token=${command.token}&at=sessions/${session?.id}`);
    expect(command.note).toContain("only reads; Ctrl-C ends it");
    expect(await answer(command, "/api/store")).toMatchObject({ place: store.at, kind: "sqlite" });
    expect(await answer(command, "/api/search?words=please")).toMatchObject({
      hits: [{ type: "chat", session: session?.id }],
    });
    expect(await command.end()).toBe(0);
    await expect(answer(command, "/api/store")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("begins with the list of sessions without SESSION", async () => {
    await using store = await storeWithCalls();

    const command = await running(store);

    expect(command.url.hash).toBe(`#token=${command.token}`);
    expect(await command.end()).toBe(0);
  });

  it("shows an export, and leaves nothing beside it", async () => {
    await using store = await storeWithCalls();
    await store.scm("export", "all.jsonl");
    const before = await readdir(store.workspace);

    const command = await running(store, "s1", "--export", "all.jsonl");

    expect(await answer(command, "/api/store")).toMatchObject({
      place: join(store.workspace, "all.jsonl"),
      kind: "export",
    });
    expect(await answer(command, "/api/search?words=please")).toMatchObject({
      hits: [{ type: "chat" }],
    });
    expect(await command.end()).toBe(0);
    expect(await readdir(store.workspace)).toEqual(before);
  });
});
