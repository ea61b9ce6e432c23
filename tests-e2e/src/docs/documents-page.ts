import {
  canonicalJson,
  fileTypes,
  hashObject,
  type JsonValue,
  type ObjectBody,
  objectId,
  sealObject,
  type StoredVersion,
  viewFields,
} from "@self-context-manager/core";

import { latest, openTestSession, scriptHistory, storedSession } from "../session/core-sessions.ts";
import { codeBlock, generatedNote, prettyJson, table } from "./committed-page.ts";

interface Sample {
  readonly title: string;
  readonly text: string;
  readonly stored: StoredVersion;
}

/** The page that shows one real document of each type. */
export async function documentsPage(): Promise<string> {
  const samples = await sampleDocuments();
  return `${[
    "# Documents",
    generatedNote("documents-page.test.ts"),
    "Everything is an object in one store. Objects share a base (`id`, `type`, `content`, `locked`, `provenance`, and where given `nickname`, `view`, `content_fields`) and have fields of their type beside it. Names are in snake_case, as the specification has them (decision D10). Anyone may add fields; what is not known is kept.",
    "Each section shows a document as it is stored by one short session: the object, then the three hashes that stand beside it, then the version and the transaction that made it. How the hashes are computed is in [hashes.md](hashes.md).",
    ...samples.map(section),
    fileTypeSection(),
    vectorSection(),
  ].join("\n\n")}\n`;
}

function section({ title, text, stored }: Sample): string {
  const { body, hashes, version, at } = stored;
  return [
    `## ${title}`,
    text,
    codeBlock("json", prettyJson(body)),
    `Metadata view: ${viewFields(body)
      .map((field) => `\`${field}\``)
      .join(", ")}.`,
    table(
      ["beside it", "value"],
      [
        ...Object.entries(hashes).map(([name, hash]) => [`\`${name}\``, `\`${hash}\``]),
        ["version", String(version)],
        ["transaction", `${at.tx_id}, ${at.tx_time}`],
      ],
    ),
  ].join("\n\n");
}

async function sampleDocuments(): Promise<readonly Sample[]> {
  const { session, store, files } = await openTestSession({
    files: {
      "/work/notes.md": "# Notes\nRemember the milk.\n",
      "/work/logo.png": null,
      "/work/old.txt": "gone soon\n",
      "/work/seen.ts": "export const seen = true;\n",
    },
  });
  await session.recordSystemPrompt("host", "You are a coding agent.");
  const history = scriptHistory();
  history.user("What is in the notes?");
  await history.ask(
    "read",
    { path: "notes.md" },
    async (callId) => await session.read({ path: "notes.md" }, { callId }),
  );
  await history.ingest(session);
  history.call("bash", { command: "ls -la", timeout: 5 }, "logo.png\nnotes.md\nold.txt\n", {
    id: "toolu_01XFDUDYJgAACzvnptvVer6R",
    details: { exitCode: 0 },
  });
  await history.ingest(session);
  await session.recordNamed(["seen.ts"]);
  await session.read({ path: "logo.png" });
  await session.read({ path: "old.txt" });
  files.delete("/work/old.txt");
  await session.read({ path: "old.txt" });
  await session.name("notes.md", "the notes");
  await session.pin("notes.md");
  history.say("The milk.", { usage: { input: 900, output: 4 } });
  await history.ingest(session);
  const { objects, chatId, sessionId } = await session.status();
  const of = async (name: string): Promise<StoredVersion> => {
    const found = objects.find(
      ({ stored: { body } }) => body["path"] === name || body.provenance.origin === name,
    );
    return await latest(store, found?.stored.body.id ?? "");
  };
  const prompts = (await storedSession(store, session))["system_prompt_refs"] as {
    readonly host: { readonly id: string };
  };
  return [
    {
      title: "File",
      text: "A file that was read, with its text. A nickname is there because a person gave one. `presence` says why there is content or none (decision D12). `disk` is the size and time of the file when it was read, so that a later start sees whether it changed.",
      stored: await of("/work/notes.md"),
    },
    {
      title: "File that was named and not read",
      text: "What `ls`, `find` or `grep` named is known by its path and its size in bytes. `activate` reads it.",
      stored: await of("/work/seen.ts"),
    },
    {
      title: "File that is not text",
      text: "Known by its metadata only; `activate` answers with a note.",
      stored: await of("/work/logo.png"),
    },
    {
      title: "File that is gone",
      text: "Deletion is a version with null content and null path. The last path stands in `provenance.origin`, and a file made there again is the same object (decision D56).",
      stored: await of("/work/old.txt"),
    },
    {
      title: "Tool call",
      text: "One execution of a tool: its output is the content, its arguments are kept as the model gave them. `chat_ref` names the version of the chat that holds the call, with its place (decision D35).",
      stored: await latest(store, "toolu_01XFDUDYJgAACzvnptvVer6R"),
    },
    {
      title: "Tool call of one of our own tools",
      text: "The content is the report of its steps, never the file's text; `file_refs` names the version that was read (decision D34).",
      stored: await latest(store, "call_1"),
    },
    {
      title: "Chat",
      text: "One document per session. `turns` is canonical; `content` is the same for people (decision D36). Tool output is nowhere in it. `toolcall_refs` names the versions of the tool calls.",
      stored: await latest(store, chatId),
    },
    {
      title: "Session",
      text: "What is known, active and pinned, by which handle, and when it was last used (decisions D45, D50). Locked objects are in `active_set` and not in the pool.",
      stored: await latest(store, sessionId),
    },
    {
      title: "System prompt",
      text: "As it was sent; a new version when it changes (decision D55).",
      stored: await latest(store, prompts.host.id),
    },
    {
      title: "Note",
      text: "Accepted as a type of its own and treated as a file (decision D16). This one names a further content field, which has its own hash.",
      stored: await noteSample(),
    },
  ];
}

async function noteSample(): Promise<StoredVersion> {
  const { store } = await openTestSession();
  const id = objectId("0190aaaa-0000-7000-8000-00000000abcd");
  const body: ObjectBody = {
    id,
    type: "note",
    locked: false,
    content: "# Plan\nSee the notes.\n",
    outline: "Plan",
    content_fields: ["outline"],
    path: "/work/plan.md",
    file_type: "markdown",
    char_count: 22,
    provenance: {
      origin: "/work/plan.md",
      generator: "agent",
      parent_refs: [{ ref: "dynamic", id: objectId("the notes") }],
    },
  };
  await store.commit([{ object: sealObject(body) }]);
  return await latest(store, id);
}

function fileTypeSection(): string {
  const byType = new Map<string, string[]>();
  for (const [extension, type] of Object.entries(fileTypes))
    byType.set(type, [...(byType.get(type) ?? []), `\`.${extension}\``]);
  const rows = [...byType]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([type, extensions]) => [`\`${type}\``, extensions.toSorted().join(", ")]);
  return [
    "## File types",
    "`file_type` goes by the extension, in any case (decision D17). `Dockerfile` and `Makefile` have types of their own; any other name is `text`. What is not text by its bytes is `binary`, whatever it is called, and has metadata only.",
    table(["`file_type`", "extensions"], rows),
  ].join("\n\n");
}

interface Vector {
  readonly what: string;
  readonly body: ObjectBody;
}

function vectorSection(): string {
  const base = {
    id: objectId("0190aaaa-0000-7000-8000-000000000001"),
    type: "file",
    locked: false,
    content: "hello\n",
    path: "/work/a.ts",
    file_type: "typescript",
    char_count: 6,
    presence: "present",
    provenance: { origin: "/work/a.ts", generator: "human" as const },
  };
  const reference = {
    ref: "static" as const,
    id: base.id,
    tx_id: 7,
    tx_time: "2026-02-20T10:00:00.000Z",
    ...hashObject(base),
  };
  const vectors: readonly Vector[] = [
    {
      what: "A file. Its `content_hash` is what `printf 'hello\\n' | sha256sum` prints.",
      body: base,
    },
    {
      what: "The same file without content: the `content_hash` of the empty text, another `object_hash`.",
      body: { ...base, content: null, char_count: 0, presence: "unread", size: 6 },
    },
    {
      what: "Text beyond ASCII is hashed by its UTF-8 bytes.",
      body: { ...base, content: "naïve 🌍\n", char_count: 9 },
    },
    {
      what: "A static reference enters without `tx_id` and `tx_time`; in `args` everything enters as it is.",
      body: {
        ...base,
        id: objectId("toolu_1"),
        type: "toolcall",
        content: "out",
        tool: "bash",
        args: { looks_like: { ref: "static", id: "x", tx_id: 1 } },
        args_display: "bash: {}",
        status: "ok",
        file_refs: [reference],
      },
    },
  ];
  return [
    "## Hash test vectors",
    "Each is an object with the three hashes that any implementation must find, and the canonical JSON that its `object_hash` is taken of.",
    ...vectors.flatMap(({ what, body }) => [
      what,
      codeBlock("json", prettyJson(body)),
      "Canonical JSON:",
      codeBlock("text", canonicalJson(withoutTransactions(body))),
      table(
        ["hash", "value"],
        Object.entries(hashObject(body)).map(([name, hash]) => [`\`${name}\``, `\`${hash}\``]),
      ),
    ]),
  ].join("\n\n");
}

/** What `object_hash` takes of the vectors: their references stand in `file_refs` alone. */
function withoutTransactions(body: ObjectBody): JsonValue {
  const references = body["file_refs"];
  if (!Array.isArray(references)) return body;
  return {
    ...body,
    file_refs: (references as readonly { readonly [field: string]: JsonValue }[]).map(
      ({ tx_id: _id, tx_time: _time, ...rest }) => rest,
    ),
  };
}
