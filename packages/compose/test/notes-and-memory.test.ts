import { type ContextSession, neutralCodec, type View, readList } from "@self-context-manager/core";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { type ContextManager, openContextManager } from "../src/context-manager.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A manager on a store in a file, as an adapter opens it beside a host with its own tool for reading. */
async function opened(
  folder: string,
  sessionId: string,
): Promise<
  { readonly manager: ContextManager; readonly session: ContextSession } & AsyncDisposable
> {
  const manager = await openContextManager({
    at: join(folder, "store", "store.sqlite"),
    workspace: join(folder, "work"),
  });
  const session = await manager.openSession({ harness: "test", sessionId });
  session.announceTools(["read", "write"]);
  return {
    manager,
    session,
    [Symbol.asyncDispose]: async () => await manager[Symbol.asyncDispose](),
  };
}

/** Writes a file as a tool of the host does. */
async function write(session: ContextSession, name: string, content: string): Promise<void> {
  const path = join(session.workspace, name);
  await mkdir(dirname(path), { recursive: true });
  await using hold = await session.holdWrite(path);
  await writeFile(path, content);
  await session.recordWrite(path, { args: { path: name, content } });
  expect(hold).toBeDefined();
}

function textOf(view: View): string {
  return JSON.stringify(view.messages);
}

async function tool(
  session: ContextSession,
  name: string,
  args: Readonly<Record<string, string | number>>,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const found = session.tools().find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return await found.run(args, `call_${name}`);
}

const notes = {
  "notes/api.md":
    "---\ntags: [api]\n---\n# API\nSee [[limits#Burst]].\n\n# Errors\nA busy server answers 429.\n\n# Keys\nNone.\n",
  "notes/limits.md":
    "# Limits\nThe rate limit is 5 calls per second. #limits/rate\n\n# Burst\nTwenty.\n",
  "notes/plan.md": "# Plan\n- part_of [[api]]\n- [[missing note]]\n",
};

async function writeNotes(folder: string): Promise<void> {
  await using first = await opened(folder, "one");
  for (const [name, content] of Object.entries(notes)) await write(first.session, name, content);
  await first.session.nextView();
}

it("finds notes in any composition of their letters, and by a shown name", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  await using at = await opened(folder.path, "one");
  const { session } = at;
  const decomposed = (text: string): string => text.normalize("NFD");
  await write(
    session,
    decomposed("분기 보고서.md"),
    decomposed("매출은 Überschuss #실적\n- part_of [[설계]]\n"),
  );
  await write(session, "설계.md", "# 설계\n");

  for (const form of ["NFC", "NFD"]) {
    for (const [key, value] of [
      ["words", "보고서"],
      ["words", "überschuss"],
      ["tag", "실적"],
      ["path", "분기"],
      ["path", "…기 보고서.md"],
      ["relation", "part_of 설계.md"],
      ["relation", "part_of …계.md"],
    ] as const) {
      const found = await tool(session, "find_objects", { [key]: value.normalize(form) });

      expect([key, value, found.text.normalize("NFC")]).toEqual([
        key,
        value,
        expect.stringMatching(/^- f1 분기 보고서\.md /u),
      ]);
    }
  }
  expect((await tool(session, "find_objects", { words: "überschuss" })).text).toContain(
    decomposed("line 1: 매출은 Überschuss"),
  );
});

it("finds an object by the note that the model gave it, also in a later session", async () => {
  await using folder = await temporaryFolder();
  await writeNotes(folder.path);
  await using at = await opened(folder.path, "two");
  await using later = await opened(folder.path, "three");
  await tool(at.session, "activate", { id: "notes/limits.md" });

  const given = await tool(at.session, "deactivate", { id: "f1", note: "zebra figures" });
  const found = await tool(later.session, "find_objects", { words: "zebra" });

  expect(given.ok).toBe(true);
  expect(found.text).toContain('notes/limits.md 77 v2 short_summary="zebra figures"');
});

it("keeps the tags of a note whose front matter has a bad line, and names the line once", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  await using at = await opened(folder.path, "one");
  const { session } = at;
  const note = "---\ntags: [goal]\nauthor: *Jane\nup: '[[Note [1]]]'\n---\n";
  const problem =
    "[links of f2 a.md: line 3 of its front matter cannot be read, the fields of other lines are]";

  await write(session, "Note [1].md", "# One\n");
  await write(session, "a.md", note);
  await tool(session, "find_objects", { words: "any" });
  const views = [textOf(await session.nextView())];
  for (const text of [`${note}more\n`, `${note.replace("*Jane", "Jane")}fixed\n`]) {
    await write(session, "a.md", text);
    await tool(session, "find_objects", { words: "any" });
    views.push(textOf(await session.nextView()));
  }

  // The line that was sent stays, and no later view has another one.
  expect(views.map((view) => view.split(problem).length - 1)).toEqual([1, 1, 1]);
  expect((await tool(session, "find_objects", { tag: "goal" })).text).toContain("- f2 a.md");
  expect((await tool(session, "find_objects", { relation: "up Note [1]" })).text).toContain(
    "- f2 a.md",
  );
});

it("finds in a second session what the first one wrote, by words, tag, relation and path", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  await writeNotes(folder.path);
  await using second = await opened(folder.path, "two");
  const { session } = second;

  expect((await tool(session, "find_objects", { words: "rate limit" })).text).toBe(
    "- f1 notes/limits.md 77, line 2 #Limits: The rate limit is 5 calls per second. #limits/rate",
  );
  expect((await tool(session, "find_objects", { tag: "#api" })).text).toBe(
    "- f2 notes/api.md 99, line 2: tags: [api]",
  );
  expect((await tool(session, "find_objects", { tag: "limits" })).text).toContain("- f1 ");
  expect((await tool(session, "find_objects", { relation: "part_of api" })).text).toBe(
    "- f3 notes/plan.md 44, line 2 #Plan: - part_of [[api]]",
  );
  expect((await tool(session, "find_objects", { relation: "part_of" })).text).toContain("- f3 ");
  expect((await tool(session, "find_objects", { path: "LIMITS" })).text).toContain("- f1 ");
  expect((await tool(session, "find_objects", { words: "rate", type: "chat" })).text).toBe(
    "No object was found among what agents of this workspace have read or written.",
  );
  expect(await tool(session, "find_objects", {})).toMatchObject({ ok: false });
  expect(await tool(session, "find_objects", { relation: "part_of nobody" })).toMatchObject({
    ok: false,
    text: expect.stringContaining('No object is known as "nobody"') as string,
  });
});

it("finds what another session knows, by its id and by that of its chat", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  await writeNotes(folder.path);
  await using second = await opened(folder.path, "two");
  const { session, manager } = second;
  await write(session, "own.md", "# Own\nThe rate limit of this session.\n");
  const { items } = await manager.store.find({ where: { type: "session", session_id: "one" } });
  const [stored] = items;
  const chat = stored?.body["chat_ref"] as { readonly id: string } | undefined;

  const bySession = await tool(session, "find_objects", {
    words: "rate limit",
    session: stored?.body.id ?? "",
  });
  const byChat = await tool(session, "find_objects", {
    words: "rate limit",
    session: chat?.id ?? "",
  });
  const own = await tool(session, "find_objects", { words: "rate limit", session: "this" });

  expect(bySession.text).toContain("notes/limits.md");
  expect(bySession.text).not.toContain("own.md");
  expect(byChat.text).toBe(bySession.text);
  expect(own.text).toContain("own.md");
});

it("opens one section of a note, and names the objects to which it links", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  await writeNotes(folder.path);
  await using second = await opened(folder.path, "two");
  const { session } = second;
  await tool(session, "find_objects", { tag: "api" });

  const answer = await tool(session, "activate", { id: "f1#errors" });

  expect(answer).toMatchObject({
    ok: true,
    text: "f1 notes/api.md is now active, lines 7-9 of 11.",
  });
  const view = textOf(await session.nextView());
  expect(view).toContain("A busy server answers 429.");
  expect(view).not.toContain("See [[limits");
  expect(view).toContain("[f1 links to f2 notes/limits.md 77]");
  expect(textOf(await session.nextView()).split("[f1 links to")).toHaveLength(2);
  expect(await tool(session, "activate", { id: "f1#Costs" })).toMatchObject({
    ok: false,
    text: 'f1 notes/api.md: it has no heading "Costs"; its headings are "API", "Errors", "Keys".',
  });
  expect(await tool(session, "activate", { id: "[[limits#Burst|it]]" })).toMatchObject({
    ok: true,
  });
  expect(await tool(session, "activate", { id: "f2#Burst", from: 1 })).toMatchObject({ ok: false });
  expect(textOf(await session.nextView())).toContain("Twenty.");
});

it("shows a field as the output of the call", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  await writeNotes(folder.path);
  await using second = await opened(folder.path, "two");
  await tool(second.session, "find_objects", { tag: "api" });
  const field = async (name: string): Promise<string> =>
    (await tool(second.session, "activate", { id: "f1", field: name })).text;

  expect(await field("tags")).toBe('f1 v1, field tags:\n[\n "api"\n]');
  expect(await field("front_matter")).toContain('"tags"');
  expect(await field("links")).toContain("limits#Burst");
  expect(await field("nothing")).toContain('f1 notes/api.md has no field "nothing"; it has ');
});

it("names new links without a target once, with the nearest names, after a note was written", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  await using first = await opened(folder.path, "one");
  const { session, manager } = first;
  await write(session, "limits.md", "# Limits\n");
  await write(session, "a.md", "[[limit]], [[limits]] and [[f1]]\n");
  await upToDate(session);

  const view = textOf(await session.nextView());

  expect(view).toContain(
    "[links of f2 a.md: [[limit]] has no target yet, near: limits; [[f1]] is a handle of this session only; link to limits.md]",
  );
  // The same links are not named again, and a new one is.
  await write(session, "a.md", "[[limit]], [[limits]] and [[f1]], [[other]]\n");
  await upToDate(session);
  const later = textOf(await session.nextView());
  expect(later).toContain("[links of f2 a.md: [[other]] has no target yet]");
  expect(manager.store.name).toBe("sqlite");
});

it("finds objects of an imported store, whose documents are read at the first use", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  await writeNotes(folder.path);
  const at = join(folder.path, "store", "store.sqlite");
  await using former = await openContextManager({ at });
  await using other = await temporaryFolder();
  const copy = await openContextManager({ at: join(other.path, "s"), workspace: folder.path });
  await using manager = copy;
  const { versions } = await former.store.changesSince(undefined, { limit: 1_000 });
  for (const { body, version } of versions) {
    const whole = await former.store.get(body.id, { version });
    if (whole !== undefined) await manager.store.restore([whole]);
  }
  const session = await manager.openSession({ harness: "another", sessionId: "three" });

  expect((await tool(session, "find_objects", { words: "rate limit" })).text).toContain(
    "notes/limits.md",
  );
  expect((await tool(session, "find_objects", { tag: "api" })).text).toContain("notes/api.md");
});

it("works without the index, and without what needs it", async () => {
  await using folder = await temporaryFolder();
  await using manager = await openContextManager({
    store: "memory",
    workspace: folder.path,
    documents: false,
  });
  const session = await manager.openSession({ harness: "test", sessionId: "one" });
  await write(session, "a.md", "# A\n[[nothing]]\n");

  expect(await tool(session, "activate", { id: "f1" })).toMatchObject({ ok: true });
  expect(await tool(session, "activate", { id: "f1#A" })).toMatchObject({ ok: false });
  expect(await tool(session, "find_objects", { words: "nothing" })).toMatchObject({ ok: false });
  expect(textOf(await session.nextView())).not.toContain("[links of");
});

/** Waits until the indexes have the last commit. */
async function upToDate(session: ContextSession): Promise<void> {
  await session.find({ words: "anything" });
}

it("shows nothing of a file that no tool of the host has shown, neither a field nor a heading", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  const text =
    "---\nkey: hidden one\n---\n# Hidden two\n[[hidden three]] #hidden/four\n\n# Public\nnothing\n";
  await writeFile(join(folder.path, "work", "secret.md"), text);
  {
    await using first = await opened(folder.path, "one");
    await first.session.read({ path: "secret.md" });
  }
  await using second = await opened(folder.path, "two");
  const { session } = second;
  await tool(session, "find_objects", { path: "secret" });
  const answers = [
    await tool(session, "activate", { id: "f1#Nothing" }),
    await tool(session, "activate", { id: "f1@1#Nothing" }),
    await session.showField("f1", "content"),
  ];
  for (const field of ["front_matter", "headings", "links", "tags", "relations"])
    answers.push(await tool(session, "activate", { id: "f1", field }));

  for (const { ok, text: answer } of answers) {
    expect(answer).not.toMatch(/hidden/iu);
    expect(ok).toBe(false);
  }
  expect((await session.showField("f1", "path")).text).toContain("secret.md");
});

it("shows headings and follows links only of the lines that the host's tool has shown", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  const path = join(folder.path, "work", "long.md");
  await writeFile(path, "# Hidden\n[[goal]]\nneedle\n# Other hidden\nb\n");
  {
    await using before = await opened(folder.path, "zero");
    await write(before.session, "goal.md", "# Goal\n");
  }
  await using one = await opened(folder.path, "one");
  const { session } = one;
  const call = {
    role: "assistant" as const,
    content: [
      {
        type: "toolCall" as const,
        id: "r1",
        name: "read",
        arguments: { path, offset: 3, limit: 1 },
      },
    ],
  };
  await session.recordRead(path, { callId: "r1" });
  await session.ingest(
    readList(
      [
        { role: "user", content: "read" },
        call,
        {
          role: "toolResult",
          toolCallId: "r1",
          toolName: "read",
          content: [{ type: "text", text: "needle" }],
          isError: false,
        },
      ],
      neutralCodec,
    ),
  );

  const found = await tool(session, "find_objects", { words: "needle", type: "file" });

  expect(found.text).toBe("- f1 long.md 42, line 3: needle");
  expect((await tool(session, "activate", { id: "f1#Nothing" })).text).not.toContain("idden");
  expect((await tool(session, "activate", { id: "f1" })).text).toContain("active, lines 3");
  expect(textOf(await session.nextView())).not.toContain("links to f");
});

it("shows what the guide's example shows", async () => {
  const guide = await readFile(
    new URL("../../../docs/guide/notes-and-memory.md", import.meta.url),
    "utf8",
  );
  const [limits = "", api = ""] = [...guide.matchAll(/^```md\n(.*?)^```$/gmsu)].map(
    ([, text]) => text,
  );
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "work"));
  {
    await using first = await opened(folder.path, "one");
    await write(first.session, "notes/limits.md", limits);
    const next = textOf(await first.session.nextView());
    const [links = ""] = /\[links of [^"]*\]/u.exec(next) ?? [];
    expect(guide).toContain(`\n${links}\n`);
    await write(first.session, "notes/api.md", api);
  }
  await using second = await opened(folder.path, "two");
  const { session } = second;

  const found = await tool(session, "find_objects", { words: "rate limit" });
  const answer = await tool(session, "activate", { id: "limits#Burst" });
  const view = textOf(await session.nextView());

  expect(guide).toContain(`  ${found.text}\n`);
  expect(answer.text).toContain("lines 7-9 of 9");
  expect(view).toContain("f1 notes/limits.md v1 lines 7-9 of 9");
  const [linked = ""] = /\[f1 links to [^\]]*\]/u.exec(view) ?? [];
  expect(guide).toContain(linked);
  expect(linked).not.toBe("");
});

it("finds what was said in this session and in earlier ones of the workspace, and opens it", async () => {
  await using folder = await temporaryFolder();
  const said = (text: string, timestamp: number) => [
    { role: "user", content: "what shall we do", timestamp } as const,
    { role: "assistant", content: [{ type: "text", text }], timestamp: timestamp + 1 } as const,
    { role: "user", content: "good", timestamp: timestamp + 2 } as const,
  ];
  {
    await using first = await opened(folder.path, "first");
    await first.session.ingestAndView(
      readList(said("DECISION-7: keep the index", 1), neutralCodec),
    );
  }
  await using second = await opened(folder.path, "second");
  const { session } = second;
  await session.ingestAndView(readList(said("DECISION-9: drop the cache", 10), neutralCodec));

  const own = await tool(session, "find_objects", { words: "DECISION-9" });
  const earlier = await tool(session, "find_objects", { words: "DECISION-7" });
  const chats = await tool(session, "find_objects", { type: "chat" });
  const [, id = ""] = /^- (\S+) .*DECISION-7/mu.exec(earlier.text) ?? [];
  const summary = await tool(session, "activate", { id });
  const turn = await tool(session, "activate", { id, turn: 1 });

  expect(own.text).toContain("DECISION-9: drop the cache");
  expect(earlier.text).toContain("DECISION-7: keep the index");
  expect(chats.text.split("\n")).toHaveLength(2);
  expect(summary.text).toContain("1. what shall we do -> DECISION-7: keep the index");
  expect(turn.text).toContain("--- assistant\nDECISION-7: keep the index");
});

it("names the own chat among the first objects, however many others have the words", async () => {
  await using folder = await temporaryFolder();
  await using one = await opened(folder.path, "first");
  const { session } = one;
  const results = Array.from({ length: 6 }, (_, index) => [
    {
      role: "assistant",
      content: [{ type: "toolCall", id: `c${index}`, name: "log", arguments: { index } }],
      timestamp: 10 + 2 * index,
    } as const,
    {
      role: "toolResult",
      toolCallId: `c${index}`,
      toolName: "log",
      content: [{ type: "text", text: `zebra number ${index}` }],
      isError: false,
      timestamp: 11 + 2 * index,
    } as const,
  ]).flat();
  const end = {
    role: "assistant",
    content: [{ type: "text", text: "The zebra stays, because it has stripes." }],
    timestamp: 90,
  } as const;
  const user = { role: "user", content: "look", timestamp: 1 } as const;
  const next = { role: "user", content: "good", timestamp: 91 } as const;
  await session.ingestAndView(readList([user, ...results, end, next], neutralCodec));

  const { text } = await session.find({ words: "zebra", limit: 3 });

  const lines = text.split("\n");
  expect(lines.slice(0, 3).filter((line) => /^- t\d/u.test(line))).toHaveLength(2);
  expect(lines[2]).toMatch(/^- chat .*2 turns, line \d+: .*zebra/u);
  expect(lines[3]).toContain("4 more");
});
