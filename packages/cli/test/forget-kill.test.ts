import { openContextManager } from "@self-context-manager/compose";
import { type Message, neutralCodec, readList } from "@self-context-manager/core";
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { type TemporaryStore, temporaryStore } from "./temporary-store.ts";

const secret = ["sk", "live", "Zq83kLmN02xYvT7u"].join("-");
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** A store with 60 calls; every tenth output has the text. */
async function storeWithSecret(): Promise<TemporaryStore> {
  const made = await temporaryStore();
  const { at, workspace } = made;
  await using manager = await openContextManager({ at, workspace, secrets: "off" });
  const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: `use ${secret}` }], timestamp: 1 },
  ];
  for (let call = 1; call <= 60; call += 1) {
    const id = `call_${call}`;
    const text = `output ${call} ${"words of it ".repeat(100)} ${call % 10 === 0 ? secret : ""}`;
    messages.push(
      {
        role: "assistant",
        content: [{ type: "toolCall", id, name: "bash", arguments: { command: `run ${call}` } }],
        timestamp: 2 * call,
      },
      {
        role: "toolResult",
        toolCallId: id,
        toolName: "bash",
        content: [{ type: "text", text }],
        isError: false,
        timestamp: 2 * call + 1,
      },
    );
    if (call % 5 === 0) {
      await session.ingest(readList(messages, neutralCodec));
      await session.nextView();
    }
  }
  return made;
}

/** Runs the command in a process of its own, which is killed after some milliseconds. Returns whether it had ended. */
async function killedAfter(milliseconds: number, { at, workspace }: TemporaryStore) {
  const child = spawn(
    process.execPath,
    ["--conditions=@self-context-manager/source", main, "forget", "--literal", secret, "--yes"],
    { cwd: workspace, env: { ...process.env, SCM_STORE: at }, stdio: "ignore" },
  );
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  await Promise.race([ended, delay(milliseconds)]);
  child.kill("SIGKILL");
  await ended;
}

async function bytesOf({ at }: TemporaryStore): Promise<string> {
  const names = (await readdir(join(at, ".."))).filter((name) =>
    /^store\.sqlite[^.]*$/u.test(name),
  );
  return (await Promise.all(names.map((name) => readFile(join(at, "..", name), "latin1")))).join();
}

// Reading the modules takes most of a second, and the rewrite itself some milliseconds.
test.each([600, 900, 1_050, 1_200, 1_350])(
  "a forget that is killed after %s ms has done nothing or all, and can be repeated",
  async (milliseconds) => {
    await using store = await storeWithSecret();
    const before = (await store.scm("export")).stdout;

    await killedAfter(milliseconds, store);

    const between = (await store.scm("export")).stdout;
    expect([before === between, !between.includes(secret)]).toContain(true);
    expect((await store.scm("doctor")).code).toBe(0);
    const repeated = await store.scm("forget", "--literal", secret, "--yes");
    expect(repeated.code).toBe(0);
    expect((await store.scm("export")).stdout).not.toContain(secret);
    expect(await bytesOf(store)).not.toContain(secret);
    expect((await store.scm("doctor")).code).toBe(0);
  },
);
