import { type ContextManager, openContextManager } from "@self-context-manager/compose";
import {
  type ContextSession,
  isText,
  type Message,
  type View,
  readList,
} from "@self-context-manager/core";
import { mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

import { plainCodec, testHost } from "../src/session/core-sessions.ts";

/** A folder with a session, over real files, a real watcher and SQLite. */
interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly session: ContextSession;
  /** Closes everything, as the end of a process does. */
  close(): Promise<void>;
  reopen(): Promise<ContextSession>;
}

async function openPlace(files: Readonly<Record<string, string>>): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "scm-watch-")));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const at = await mkdtemp(join(tmpdir(), "scm-store-"));
  const open = async (): Promise<ContextManager> =>
    await openContextManager({ at: join(at, "store.sqlite"), workspace: root });
  let manager: ContextManager | undefined = await open();
  const close = async (): Promise<void> => {
    await manager?.[Symbol.asyncDispose]();
    manager = undefined;
  };
  return {
    folder: root,
    session: await manager.openSession(testHost),
    close,
    async reopen() {
      await close();
      manager = await open();
      return await manager.openSession(testHost);
    },
    async [Symbol.asyncDispose]() {
      await close();
      await rm(root, { recursive: true });
      await rm(at, { recursive: true });
    },
  };
}

const text = `${Array.from({ length: 60 }, (_, line) => `line ${line + 1}`).join("\n")}\n`;
const changedText = text.replace("line 30\n", "another line\nand one more\n");

const prompt: Message = { role: "user", content: "look at a.txt", timestamp: 1 };
const readCall: readonly Message[] = [
  {
    role: "assistant",
    content: [{ type: "toolCall", id: "r1", name: "read", arguments: { path: "a.txt" } }],
    meta: { stopReason: "toolUse" },
    timestamp: 2,
  },
];

const written: readonly Message[] = [
  {
    role: "assistant",
    content: [
      {
        type: "toolCall",
        id: "w1",
        name: "write",
        arguments: { path: "a.txt", content: changedText },
      },
    ],
    meta: { stopReason: "toolUse" },
    timestamp: 4,
  },
  {
    role: "toolResult",
    toolCallId: "w1",
    toolName: "write",
    content: [{ type: "text", text: "written" }],
    isError: false,
    timestamp: 5,
  },
];

/** Lets the model read a.txt and sends it the content. */
async function readFirst(session: ContextSession): Promise<readonly Message[]> {
  await session.ingest(readList([prompt], plainCodec));
  await session.nextView();
  await session.ingest(readList([prompt, ...readCall], plainCodec));
  const answer = await session.read({ path: "a.txt" }, { callId: "r1" });
  const result: Message = {
    role: "toolResult",
    toolCallId: "r1",
    toolName: "read",
    content: [{ type: "text", text: answer.text }],
    isError: false,
    timestamp: 3,
  };
  const messages = [prompt, ...readCall, result];
  await session.ingest(readList(messages, plainCodec));
  expect(textOf(await session.nextView())).toContain("f1 a.txt v1\n~~~");
  return messages;
}

function textOf({ messages }: Pick<View, "messages">): string {
  return messages
    .flatMap((message): readonly string[] => {
      if (message.role === "opaque") return [];
      if (typeof message.content === "string") return [message.content];
      return message.content.filter(isText).map((block) => block.text);
    })
    .join("\n");
}

test("a command refers to the version of a known file that it made, at once", async () => {
  await using place = await openPlace({ "a.txt": text });
  const { session, folder } = place;
  const messages = await readFirst(session);
  const call: Message = {
    role: "assistant",
    content: [
      { type: "toolCall", id: "b1", name: "bash", arguments: { command: "sed -i s/x/y/ a.txt" } },
    ],
    meta: { stopReason: "toolUse" },
    timestamp: 4,
  };
  const result: Message = {
    role: "toolResult",
    toolCallId: "b1",
    toolName: "bash",
    content: [{ type: "text", text: "(no output)" }],
    isError: false,
    timestamp: 5,
  };
  // As `sed -i` does: the new text is in a new file that takes the name.
  await writeFile(join(folder, "sed123"), changedText);
  await rename(join(folder, "sed123"), join(folder, "a.txt"));

  await session.recordNamed(["a.txt"], { callId: "b1" });
  await session.ingest(readList([...messages, call, result], plainCodec));

  const made = await session.inspect("t2");
  const file = await session.inspect("f1");
  if (!("body" in made) || !("body" in file)) throw new TypeError("an object is missing");
  expect(file).toMatchObject({ version: 2, body: { content: changedText } });
  expect(made.body["file_refs"]).toMatchObject([{ id: file.body.id, tx_id: file.at.tx_id }]);
  expect(textOf(await session.nextView())).toContain("and one more");
});

// pi-watching.test.ts shows files that another program changes, moves and deletes during a session.
test("a file that a tool of the host writes is not reported as an external change", async () => {
  await using place = await openPlace({ "a.txt": text });
  const { session, folder } = place;
  const messages = await readFirst(session);

  const hold = await session.holdWrite("a.txt");
  await writeFile(join(folder, "a.txt"), changedText);
  // Time in which a watcher that is not held back would store the write as an external change.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await session.recordWrite("a.txt", { callId: "w1" });
  await hold[Symbol.asyncDispose]();
  await session.ingest(readList([...messages, ...written], plainCodec));
  const view = await session.nextView();

  expect(textOf(view)).toContain("[f1 v2 replaces v1 above]");
  expect(textOf(view)).not.toContain("+and one more");
  const { objects } = await session.status();
  const file = objects.find(({ handle }) => handle === "f1");
  expect(file?.stored.version).toBe(2);
  expect(file?.stored.body.provenance.generator).toBe("agent");
});

test.each<[string, (path: string) => Promise<void>, string]>([
  [
    "has its new version",
    async (path) => await writeFile(path, changedText),
    "f1 a.txt v2 replaces v1 above, +2 -1",
  ],
  ["is reported as deleted", async (path) => await rm(path), "[f1 a.txt deleted]"],
  [
    "is known by its new name",
    async (path) => await rename(path, join(dirname(path), "moved.txt")),
    "[f1 moved.txt ",
  ],
])(
  "a file that another program changed between two sessions %s before the first call",
  async (_, change, shown) => {
    await using place = await openPlace({ "a.txt": text });
    await readFirst(place.session);
    await place.close();

    await change(join(place.folder, "a.txt"));
    const view = await (await place.reopen()).nextView();

    expect(textOf(view)).toContain(shown);
  },
);

test("files that exchanged their names between two sessions keep their objects", async () => {
  await using place = await openPlace({
    "a.txt": "the same\n",
    "b.txt": "the same\n",
    "c.txt": "c\n",
  });
  const { folder, session } = place;
  await session.read({ path: "a.txt" });
  await session.read({ path: "b.txt" });
  await session.recordNamed(["c.txt"]);
  const before = await pathsOf(session);
  await place.close();

  await rename(join(folder, "a.txt"), join(folder, "away"));
  await rename(join(folder, "b.txt"), join(folder, "a.txt"));
  await rename(join(folder, "c.txt"), join(folder, "b.txt"));
  await rename(join(folder, "away"), join(folder, "c.txt"));
  const after = await pathsOf(await place.reopen());

  const moved = new Map([
    ["a.txt", "c.txt"],
    ["b.txt", "a.txt"],
    ["c.txt", "b.txt"],
  ]);
  expect(after).toEqual(new Map([...before].map(([id, name]) => [id, moved.get(name)])));
});

test("a file that was only named is followed when it is moved and deleted", async () => {
  await using place = await openPlace({ "a.txt": text, "b.txt": text });
  const { folder, session } = place;
  await session.recordNamed(["a.txt", "b.txt"]);
  const [a, b] = [...(await pathsOf(session)).keys()];

  await rename(join(folder, "a.txt"), join(folder, "moved.txt"));
  await rm(join(folder, "b.txt"));

  await expect
    .poll(async () => await pathsOf(session), { timeout: 60_000 })
    .toEqual(
      new Map([
        [a, "moved.txt"],
        [b, "deleted"],
      ]),
    );
});

test("many files that another program changed between two sessions are one line with a count", async () => {
  const names = Array.from({ length: 14 }, (_, index) => `file-${index}.txt`);
  await using place = await openPlace(
    Object.fromEntries(names.map((name) => [name, `text of ${name}\n`])),
  );
  const { folder, session } = place;
  await session.ingest(readList([prompt], plainCodec));
  for (const name of names) await session.read({ path: name });
  await session.nextView();
  for (const [index] of names.entries()) await session.deactivate(`f${index + 1}`);
  await session.nextView();
  await place.close();

  for (const [index, name] of names.entries()) {
    const path = join(folder, name);
    if (index < 8) await writeFile(path, `another text of ${name}\n`);
    else if (index < 11) await rename(path, join(folder, `moved-${name}`));
    else await rm(path);
  }
  const reopened = await place.reopen();
  const shown = textOf(await reopened.nextView());

  expect(shown).toContain(
    "[14 known files changed on disk: 8 edited, 3 moved, 3 deleted; activate takes their paths]",
  );
  expect(textOf(await reopened.nextView())).toBe(shown);
});

/** Returns the name of each file of a session by its object, or `deleted`. */
async function pathsOf(session: ContextSession): Promise<ReadonlyMap<string, string>> {
  const { objects } = await session.status();
  const files = objects.filter(({ stored }) => stored.body.type === "file");
  return new Map(
    files.map(({ stored: { body } }) => [
      body.id,
      typeof body["path"] === "string" ? basename(body["path"]) : "deleted",
    ]),
  );
}
