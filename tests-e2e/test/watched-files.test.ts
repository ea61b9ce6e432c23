import { type ContextManager, openContextManager } from "@self-context-manager/compose";
import { type ContextSession, isText, type Message, type View } from "@self-context-manager/core";
import { mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

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
  await session.ingest([prompt], plainCodec);
  await session.view();
  await session.ingest([prompt, ...readCall], plainCodec);
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
  await session.ingest(messages, plainCodec);
  expect(textOf(await session.view())).toContain("f1 a.txt v1\n~~~");
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

/** Returns the text that the session would show now. */
async function shownText(session: ContextSession): Promise<string> {
  return textOf(await session.view({ isSent: false }));
}

/** A timeout that is long enough for a watcher on a busy machine. */
const patience = { timeout: 10_000 };

describe("a file in view that another program changes", () => {
  test("is shown as a diff after the sent messages", async () => {
    await using place = await openPlace({ "a.txt": text });
    const { session, folder } = place;
    await readFirst(session);
    const before = await session.view();

    await writeFile(join(folder, "a.txt"), changedText);
    await expect
      .poll(async () => await shownText(session), patience)
      .toContain("f1 a.txt v2 replaces v1 above, +2 -1");
    const after = await session.view();

    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    expect(textOf(after)).toContain("+and one more");
    expect(after.messages).toHaveLength(before.messages.length + 1);
  });

  test("is shown as deleted in one line", async () => {
    await using place = await openPlace({ "a.txt": text });
    await readFirst(place.session);

    await rm(join(place.folder, "a.txt"));

    await expect
      .poll(async () => await shownText(place.session), patience)
      .toContain("[f1 a.txt deleted]");
  });

  test("is the same object after a move", async () => {
    await using place = await openPlace({ "a.txt": text });
    await readFirst(place.session);

    await rename(join(place.folder, "a.txt"), join(place.folder, "moved.txt"));

    await expect
      .poll(async () => await shownText(place.session), patience)
      .toContain("f1 moved.txt v2 replaces v1 above");
    const { objects } = await place.session.status();
    expect(objects.filter(({ handle }) => handle.startsWith("f"))).toHaveLength(1);
  });

  test("is not reported as an external change when a tool of the host writes it", async () => {
    await using place = await openPlace({ "a.txt": text });
    const { session, folder } = place;
    const messages = await readFirst(session);

    const hold = await session.holdWrite("a.txt");
    await writeFile(join(folder, "a.txt"), changedText);
    // Time in which a watcher that is not held back would store the write as an external change.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await session.recordWrite("a.txt", { callId: "w1" });
    await hold[Symbol.asyncDispose]();
    await session.ingest([...messages, ...written], plainCodec);
    const view = await session.view();

    expect(textOf(view)).toContain("[f1 v2 replaces v1 above]");
    expect(textOf(view)).not.toContain("+and one more");
    const { objects } = await session.status();
    const file = objects.find(({ handle }) => handle === "f1");
    expect(file?.stored.version).toBe(2);
    expect(file?.stored.body.provenance.generator).toBe("agent");
  });
});

describe("a file that another program changed between two sessions", () => {
  test("has its new version before the first call", async () => {
    await using place = await openPlace({ "a.txt": text });
    await readFirst(place.session);
    await place.close();

    await writeFile(join(place.folder, "a.txt"), changedText);
    const view = await (await place.reopen()).view();

    expect(textOf(view)).toContain("f1 a.txt v2 replaces v1 above, +2 -1");
  });

  test("is reported as deleted before the first call", async () => {
    await using place = await openPlace({ "a.txt": text });
    await readFirst(place.session);
    await place.close();

    await rm(join(place.folder, "a.txt"));
    const view = await (await place.reopen()).view();

    expect(textOf(view)).toContain("[f1 a.txt deleted]");
  });

  test("is known by its new name before the first call", async () => {
    await using place = await openPlace({ "a.txt": text });
    await readFirst(place.session);
    await place.close();

    await rename(join(place.folder, "a.txt"), join(place.folder, "moved.txt"));
    const view = await (await place.reopen()).view();

    expect(textOf(view)).toContain("f1 moved.txt v2 replaces v1 above");
  });
});

test("the content of a deactivated object stays in view until the epoch ends, and the report states it", async () => {
  await using place = await openPlace({ "a.txt": text });
  const { session } = place;
  await readFirst(session);

  const answer = await session.deactivate("f1");
  const { objects } = await session.status();
  const view = await session.view();

  expect(answer.text).toBe(
    "f1 a.txt is inactive; its text stays until the epoch ends; activate f1 restores it.",
  );
  expect(objects.find(({ handle }) => handle === "f1")).toMatchObject({
    state: "inactive",
    isInView: true,
  });
  expect(textOf(view)).toContain("line 60");
});
