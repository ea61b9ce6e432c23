import { openContextManager } from "@self-context-manager/compose";
import { neutralCodec, readList } from "@self-context-manager/core";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openLoopbackModel } from "@self-context-manager/evaluate/loopback";
import { describe, expect, test } from "vitest";

import { openManagedRpc } from "../src/managed-rpc.ts";
import { piVersions } from "../src/pi-versions.ts";

const bin = join(import.meta.dirname, "..", "..", "packages", "cli", "bin", "scm.mjs");

interface StoreWithCall extends AsyncDisposable {
  readonly folder: string;
  readonly at: string;
}

/** A store with a session of one call. */
async function storeWithCall(): Promise<StoreWithCall> {
  const folder = await mkdtemp(join(tmpdir(), "scm-inspect-"));
  const at = join(folder, "store.sqlite");
  await using manager = await openContextManager({ at, workspace: folder });
  const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
  await session.ingest(readList([{ role: "user", content: "a plain question" }], neutralCodec));
  await session.nextView();
  return {
    folder,
    at,
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}

/** The answer to a question, with the token of the page's address. */
async function ask(address: string, path: string): Promise<unknown> {
  const { origin, hash } = new URL(address);
  const token = /token=([\w-]+)/u.exec(hash)?.[1] ?? "";
  const response = await fetch(`${origin}/${path}`, { headers: { "x-scm-token": token } });
  return await response.json();
}

describe("the built command", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "serves the built page until %s, and ends with exit code 0",
    async (signal) => {
      await using store = await storeWithCall();
      const child = spawn(process.execPath, [bin, "inspect", "latest", "--at", store.at], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      const [address] = (await once(createInterface({ input: child.stdout }), "line")) as [string];

      const { origin } = new URL(address);
      const page = await (await fetch(origin)).text();
      const script = await (await fetch(`${origin}/page.js`)).text();
      const style = await (await fetch(`${origin}/page.css`)).text();
      const sessions = await ask(address, "api/sessions");
      const exit = once(child, "exit");
      child.kill(signal);

      expect(page).toContain('<script src="/page.js" defer>');
      expect(script.length).toBeGreaterThan(10_000);
      expect(style).toContain("{");
      expect(sessions).toMatchObject({ sessions: [{ hostId: "s1", calls: 1 }] });
      expect(await exit).toEqual([0, null]);
    },
  );

  test("writes the page with its data into one file", async () => {
    await using store = await storeWithCall();
    const path = join(store.folder, "s1.html");
    const argv = [bin, "inspect", "s1", "--at", store.at, "--out", path];

    const child = spawn(process.execPath, argv, { stdio: "ignore" });

    expect(await once(child, "exit")).toEqual([0, null]);
    const html = await readFile(path, "utf8");
    expect(html).toContain("a plain question");
    expect(html).not.toMatch(/(?:src|href)="(?!data:)/u);
  });
});

describe.each(piVersions)("Pi $version", (pi) => {
  test("opens the page of its session with /context inspect, and closes it at the end", async () => {
    await using model = await openLoopbackModel({
      script: () => ({ type: "text", text: "an answer" }),
    });
    await using rpc = await openManagedRpc({ pi, model });
    await rpc.prompt("a plain question");

    await rpc.prompt("/context inspect");
    const { message } = await rpc.event(
      ({ type, method, message: text }) =>
        type === "extension_ui_request" && method === "notify" && String(text).includes("http://"),
    );
    const address = /http:\S+/u.exec(String(message))?.[0] ?? "";
    const place = /at=(\S+)$/u.exec(address)?.[1] ?? "";
    const answer = await ask(address, `api/${place}`);
    await rpc.close();

    expect(answer).toMatchObject({ session: { harness: "pi", calls: 1 } });
    await expect(ask(address, `api/${place}`)).rejects.toThrow("fetch failed");
  });
});
