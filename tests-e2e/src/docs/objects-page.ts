import {
  fileTypes,
  hashObject,
  objectHashText,
  type ObjectBody,
  objectId,
  sealObject,
  staticReference,
  viewFields,
} from "@self-context-manager/objects";
import type { StoredVersion } from "@self-context-manager/core";

import { latest, openTestSession, scriptHistory, storedSession } from "../session/core-sessions.ts";
import { codeBlock, generatedNote, prettyJson, table } from "./committed-page.ts";

interface Sample {
  readonly title: string;
  readonly text: string;
  readonly stored: StoredVersion;
}

/** The page that shows one real object of each type. */
export async function objectsPage(): Promise<string> {
  const samples = await sampleObjects();
  return `${[
    "# Objects",
    generatedNote("objects-page.test.ts"),
    "Everything is an object in one store. All objects have the fields `id`, `type`, `content`, `locked` and `provenance`, and can have `nickname`, `view` and `content_fields`. The note of an object, one line, is its `short_summary`; `summary_provenance` has `by`, which is `model` or `user`, and the `version` about which it was written ([ADR](../decisions/2026-11-29-notes-of-objects.md)). Each type adds its own fields. Field names are the specification's, in snake_case (decision D10). Anyone may add fields; unknown fields are stored too.",
    "Each section shows an object that one short session stored: its body, its three hashes, its version number, and the transaction that made the version. [hashes.md](hashes.md) describes how the hashes are computed.",
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
      ["stored with it", "value"],
      [
        ...Object.entries(hashes).map(([name, hash]) => [`\`${name}\``, `\`${hash}\``]),
        ["version", String(version)],
        ["transaction", `${at.tx_id}, ${at.tx_time}`],
      ],
    ),
  ].join("\n\n");
}

async function sampleObjects(): Promise<readonly Sample[]> {
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
      text: "A file that was read, with its text. The user gave it a nickname. `presence` shows whether the content is there, or why not (decision D12). `disk` is the state of the file when it was read, so that a later start detects a change: its size and time, and `node` (device and inode) and `born` (time of creation) if the disk has them. If only the path showed that it is the file of the version before, `provenance` has `identified_by` with the value `path`.",
      stored: await of("/work/notes.md"),
    },
    {
      title: "File that was named and not read",
      text: "A file that `ls`, `find` or `grep` named is stored with its path, its size in bytes and its state on disk. `activate` reads it.",
      stored: await of("/work/seen.ts"),
    },
    {
      title: "File that is not text",
      text: "Only its metadata are stored. `activate` answers that the file is not text.",
      stored: await of("/work/logo.png"),
    },
    {
      title: "Deleted file",
      text: "Deletion is a version with null content and null path. `provenance.origin` keeps the last path. A file that is created there again is the same object (decision D56).",
      stored: await of("/work/old.txt"),
    },
    {
      title: "Tool call",
      text: "One execution of a tool. The content is the output, and the arguments are stored as the model gave them. `status` is `ok` or `fail`; `is_error` is what the host says, which can be `false` for a command with an exit code that says otherwise. `chat_ref` names the version of the chat that contains the tool call, with its place (decision D35). `call_kind` is `read`, `search`, `command`, `write`, `edit`, `web`, `agent` or `other`; calls of context tools have none. `file_refs` names the versions of the files that a call read, wrote or edited; a command in a shell has none. `kept_in_part` is `true` if the host has cut the output before anybody could keep all of it.",
      stored: await latest(store, "toolu_01XFDUDYJgAACzvnptvVer6R"),
    },
    {
      title: "Tool call of a context tool",
      text: "The content is the report of its effect, never the file's text; `report` is the same text among the metadata. `file_refs` names the versions of the files that the call read or showed, and `context_operation` what it did (decision D34).",
      stored: await latest(store, "call_1"),
    },
    {
      title: "User object",
      text: "A long text of a user message, such as a pasted log, or a file of it, such as an image. The chat has it too: `turn` and `block` are its first place there, and `user_objects` of the turn names the object. The object of a file has no `content`: its block is in `blocks`, and `media` names its kind (`image`, `document`, `audio`, `video`). The limit of this example is 100 tokens.",
      stored: await userSample(),
    },
    {
      title: "Chat",
      text: "One object for each session. `turns` is the canonical form; `content` is the same chat as text for people (decision D36). It contains no tool output. `toolcall_refs` names the versions of the tool calls, `loaded_refs` those of the files that reads and context tools loaded, and `user_refs` those of user objects. If the user has archived the chat, `archive` has the lines that views begin with, and the place behind which the turns are shown. An archived chat is an object of the same form with `archived`; it is not locked, and its `parent_refs` name the version of the chat that it is a part of.",
      stored: await latest(store, chatId),
    },
    {
      title: "Session",
      text: "The known, active and pinned objects, their handles, and the time of their last use (decisions D45, D50). Locked objects are in `active_set` and not in the pool.",
      stored: await latest(store, sessionId),
    },
    {
      title: "System prompt",
      text: "The text as it was sent, with a new version for each change (decision D55).",
      stored: await latest(store, prompts.host.id),
    },
    {
      title: "Note",
      text: "A separate type that is treated as a file (decision D16). This note names one more content field, which has its own hash.",
      stored: await noteSample(),
    },
  ];
}

async function userSample(): Promise<StoredVersion> {
  const { session, store } = await openTestSession({ longTexts: 100 });
  const history = scriptHistory();
  history.user("The test of the store fails with this line.\n".repeat(12));
  await history.ingest(session);
  await session.nextView();
  const { objects } = await session.status();
  return await latest(store, objects[0]?.stored.body.id ?? "");
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
    "The extension of the name decides `file_type`, in upper or lower case (decision D17). `Dockerfile` and `Makefile` have their own types; any other name is `text`. A file whose bytes are not text is `binary`, whatever its name, and only its metadata are stored.",
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
  const reference = staticReference({
    body: base,
    hashes: hashObject(base),
    version: 1,
    at: { tx_id: 7, tx_time: "2026-02-20T10:00:00.000Z" },
  });
  const vectors: readonly Vector[] = [
    {
      what: "A file. Its `content_hash` is what `printf 'hello\\n' | sha256sum` prints.",
      body: base,
    },
    {
      what: "The same file without content. It has the `content_hash` of the empty text and another `object_hash`.",
      body: { ...base, content: null, char_count: 0, presence: "unread", size: 6 },
    },
    {
      what: "Text beyond ASCII is hashed by its UTF-8 bytes.",
      body: { ...base, content: "naïve 🌍\n", char_count: 9 },
    },
    {
      what: "A file with the state of the disk, which is not hashed, and a list of 65 numbers, which is hashed in groups of 64.",
      body: {
        ...base,
        disk: { size: 6, modified: 1_700_000_000_000 },
        marks: Array.from({ length: 65 }, (_, index) => index),
      },
    },
    {
      what: "A part whose text is longer than 1,024 UTF-16 units is hashed on its own.",
      body: { ...base, marks: { note: "x".repeat(1_024) } },
    },
    {
      what: "A static reference is hashed without `tx_id` and `tx_time`. In the `args` of a tool call all fields are hashed unchanged.",
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
    "## Add an object type",
    "An object of any type can be stored without a change of code: seal a body with its own `view` and `content_fields` (`sealObject`), and pass it to `ObjectStore.commit`. `activate` with its id adds it to a session. The policy and the rendered lines take its size from `char_count`. The `view` objects of model calls are described in [views.md](views.md). For a type that core is to know, change:",
    table(
      ["place", "content"],
      [
        [
          "`viewsByType` in `packages/objects/src/model/metadata-view.ts`",
          "the metadata view; it is hashed, so a new one needs a decision",
        ],
        [
          "`bulkFields` in `packages/objects/src/model/object-body.ts`",
          "fields that are loaded only with the content",
        ],
        [
          "`letters` in `packages/core/src/lines/handles.ts`",
          "the letter of its handles; without one it is `o`",
        ],
        [
          "`fixedTypes` in `packages/core/src/layouts/epoch/planning-context.ts`",
          "types whose shown content is never replaced by a newer version",
        ],
        [
          "`inStore` in `packages/core/src/session/resolve-target.ts`",
          "types that are found in the store by their path; now only `file`",
        ],
        ["`poolLine` in `packages/core/src/render/reference-line.ts`", "its metadata line"],
        ["`docs/architecture/vocabulary.md`", "the row _object type_"],
        ["`shortName` in `packages/core/src/render/short-name.ts`", "its name in rendered lines"],
        [
          "`objectName` in `packages/cli/src/format/object-name.ts`",
          "its name in the output of `scm`",
        ],
        [
          "`tests-e2e/src/docs/objects-page.ts`",
          "a sample for this page; `SCM_UPDATE_DOCS=1` writes the page",
        ],
      ],
    ),
    "## Hash test vectors",
    "Each vector is an object with the hashes that every implementation must compute by rule 2, and the tree text under its `object_hash`.",
    ...vectors.flatMap(({ what, body }) => [
      what,
      codeBlock("json", prettyJson(body)),
      "Tree text:",
      codeBlock("text", objectHashText(body)),
      table(
        ["hash", "value"],
        Object.entries(hashObject(body)).map(([name, hash]) => [`\`${name}\``, `\`${hash}\``]),
      ),
    ]),
  ].join("\n\n");
}
