import { neutralCodec, readList } from "@self-context-manager/core";
import { exportObjects } from "@self-context-manager/objects";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { openContextManager } from "../src/context-manager.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const host = { harness: "test", sessionId: "s1" };

/** Joined here, so that no file contains a text that looks like a key. */
const token = ["ghp", `${"q7Zr2Kd9".repeat(4)}Wm4x`].join("_");
const password = ["Xy7", "kq9Lm2", "Wd4vT8"].join("");
const text = `HOST=db\nDB_PASSWORD=${password}\n`;
const prompt = { role: "user", content: `use ${token}`, timestamp: 1 } as const;

/** Returns what the files of a folder have, and all versions of the store, unpacked. */
async function everything(folder: string, at: string): Promise<string> {
  await using manager = await openContextManager({ at, workspace: folder, secrets: "off" });
  const texts: string[] = [];
  for await (const line of exportObjects(manager.store)) texts.push(line);
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if ((await stat(path)).isFile() && !name.endsWith("a.env"))
      texts.push(await readFile(path, "latin1"));
  }
  return texts.join("\n");
}

test("a store has marks in each of its files, and the next process sends the bytes", async () => {
  await using folder = await temporaryFolder();
  const at = join(folder.path, "store.sqlite");
  await writeFile(join(folder.path, "a.env"), text);
  const options = { at, workspace: folder.path, activateUnread: "read" } as const;
  {
    await using manager = await openContextManager(options);
    const session = await manager.openSession(host);
    await session.ingest(readList([prompt], neutralCodec));
    const answer = await session.read({ path: "a.env" });
    expect(answer.hostText).toContain(text.trim());
    expect(Object.fromEntries(session.secrets?.found ?? [])).toEqual({
      "github-token": 1,
      "named-value": 1,
    });
  }

  const stored = await everything(folder.path, at);
  await using manager = await openContextManager(options);
  const session = await manager.openSession(host);
  const { messages } = await session.nextView();

  for (const secret of [token, password]) expect(stored).not.toContain(secret);
  expect(stored).toContain("DB_PASSWORD=[secret: named-value, 15 characters, ");
  expect(JSON.stringify(messages)).toContain(token);
  expect(JSON.stringify(messages)).toContain(password);
  expect(session.secrets?.hasLost).toBe(false);
});

test("without the file of the bytes, marks are shown and a file that is read again has its text", async () => {
  await using folder = await temporaryFolder();
  const at = join(folder.path, "store.sqlite");
  await writeFile(join(folder.path, "a.env"), text);
  const options = { at, workspace: folder.path, activateUnread: "read" } as const;
  {
    await using manager = await openContextManager(options);
    const session = await manager.openSession(host);
    await session.ingest(readList([prompt], neutralCodec));
    await session.read({ path: "a.env" });
  }
  await rm(`${at}.secrets`);

  await using manager = await openContextManager(options);
  const session = await manager.openSession(host);
  const before = JSON.stringify((await session.nextView()).messages);
  const answer = await session.read({ path: "a.env" });
  const after = JSON.stringify((await session.nextView()).messages);

  expect(before).toContain("use [secret: github-token, 40 characters, ");
  expect(session.secrets?.hasLost).toBe(true);
  expect(answer.text).toContain("unchanged since version 1");
  expect(after).toContain(password);
  expect(after).not.toContain(token);
});

test("with `off` nothing is marked, and with `keep` it is only counted", async () => {
  await using folder = await temporaryFolder();
  for (const secrets of ["off", "keep"] as const) {
    const at = join(folder.path, `${secrets}.sqlite`);
    await using manager = await openContextManager({ at, workspace: folder.path, secrets });
    const session = await manager.openSession(host);
    await session.ingest(readList([prompt], neutralCodec));

    const found = await manager.store.find({ where: { type: "chat" } });
    const [chat] = await manager.store.getMany(found.items.map(({ body }) => body.id));
    expect(JSON.stringify(chat)).toContain(token);
    expect(session.secrets?.found.get("github-token")).toBe(secrets === "keep" ? 1 : undefined);
  }
  expect((await readdir(folder.path)).filter((name) => /secrets|key/u.test(name))).toEqual([]);
});
