import {
  type Block,
  type ContextSession,
  standingInstruction,
  type View,
} from "@self-context-manager/core";
import { ownLines } from "@self-context-manager/core/layout";

import { type FakeFiles, openTestSession, scriptHistory } from "../session/core-sessions.ts";
import { codeBlock, generatedNote } from "./committed-page.ts";
import { epochSession } from "./epoch-session.ts";
import { messageBlocks } from "./message-blocks.ts";

/** The page that shows the exact text and role of every rendered block, for each layout. */
export async function layoutPage(): Promise<string> {
  return `${[
    "# The layouts, block by block",
    generatedNote("layout-page.test.ts"),
    "This page shows the messages that the model gets. [layout-port.md](layout-port.md) describes layouts and their laws. Each block below is the exact text of one content block of one message. The line above it names the message's role. A tool call is shown by its name and arguments.",
    "## Standing instruction",
    "It is sent by the host's own channel for system prompts, after the host's text. Its bytes never change.",
    codeBlock("text", standingInstruction),
    "## The lines of the context manager",
    "Outside of fences, each line of a view is from a message of the chat, from a tool's short result, or from the context manager. The answers of context tools are results of their own calls. This list has every other kind of line of the context manager. Each kind is one template in `packages/core/src/lines`, from which the writer and the pattern are made. The words in capitals are values. A name of somebody else, such as a path, is written as one line.",
    ...linesTable(),
    "A short output without a fence has no such line: an output with one is shown in a fence, however short it is. The header of an earlier version is the first line of such an output. Blanks around the line do not count, and a line that only begins like a reference line counts too. Messages of the user, of the model and of the host, and a summary that the host wrote, are shown as they are. They are not tool output, so a fence around them would change who speaks. A mark of omitted text is inside the fence of its content, where the content itself could have the same line; the worst result is that the model activates the object again.",
    "An argument stub or an omission mark must not get into a file. [The harness adapter](harness-adapter.md#stand-ins-in-arguments) describes how a call that would write one is stopped.",
    "## The epoch layout",
    "The default layout. For each call this section shows the messages that it appends to the call before. At the end of an epoch it shows all messages from the first changed one on.",
    ...(await epochSession()),
    "## The pooled layout",
    "The order of the specification: the metadata pool, the chat, the active content. The lines of the metadata pool stay from call to call; everything else is built again for each call.",
    ...(await usualCase()),
    ...(await statesOfObjects()),
    ...(await answersOfTools()),
    ...(await scarcity()),
    ...(await compaction()),
  ].join("\n\n")}\n`;
}

function linesTable(): readonly string[] {
  const rows = Object.entries(ownLines).flatMap(([part, kinds]) =>
    kinds.map(({ shape }) => `${part}: ${shape}`),
  );
  return [codeBlock("text", rows.join("\n"))];
}

const image: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

async function usualCase(): Promise<readonly string[]> {
  const { session } = await openTestSession({
    files: { "/work/src/sum.ts": "export const sum = (a: number, b: number) => a + b;\n" },
  });
  const history = scriptHistory();
  history.user("Does sum work?");
  await history.ask(
    "read",
    { path: "src/sum.ts" },
    async (callId) => await session.read({ path: "src/sum.ts" }, { callId }),
  );
  await history.ingest(session);
  history.call("bash", { command: "npm test" }, "1 passed\n");
  history.call("bash", { command: "false" }, "exit code 1", { isError: true });
  history.call("screenshot", { name: "page" }, [{ type: "text", text: "taken" }, image]);
  history.say("It does.");
  history.user([{ type: "text", text: "And this?" }, image]);
  await history.ingest(session);
  await session.pin("f1");
  await session.deactivate("t3");
  return [
    "### A turn with files, outputs and an image",
    "The metadata pool has a line for each known object: handle, name, the type of a file, size in characters, and the version if it is not the first. In the chat a reference line replaces each output: handle, status, size. For context tools it contains their report. Contents of active objects are at the end, in order of activation. Each has a header and a fence of tildes. The fence is longer than any run of tildes in the content, so a text can neither close nor forge it. Images follow their text. The last block names the active and the pinned objects.",
    ...rendered(await session.nextView()),
  ];
}

async function statesOfObjects(): Promise<readonly string[]> {
  const { session, files } = await openTestSession({
    files: {
      "/work/named.md": "named only\n",
      "/work/photo.png": null,
      "/work/gone.txt": "gone\n",
      "/work/long.txt": Array.from({ length: 400 }, (_, index) => `line ${index + 1}\n`).join(""),
      "/work/fences.md": "~~~\nnot the end\n~~~~~\n",
      "/work/a very long folder name/and another one/file with spaces in its name.txt": "x",
    },
  });
  await session.recordNamed(["named.md"]);
  await session.read({ path: "photo.png" });
  await session.read({ path: "gone.txt" });
  files.delete("/work/gone.txt");
  await session.read({ path: "gone.txt" });
  await session.read({ path: "long.txt", offset: 10, limit: 3 });
  await session.read({ path: "fences.md" });
  await session.name("fences.md", "fences");
  await session.recordNamed([
    "a very long folder name/and another one/file with spaces in its name.txt",
  ]);
  return [
    "### Objects in every state",
    "The files are: one that was named and not read, one that is not text, a deleted one, one with some lines shown, one with a nickname and fences in its text, and one with a long name. Names are cut so that a metadata line has at most 17 tokens and a header at most 12 (decision D45). A name with letters that are not ASCII has at most 40 columns instead, and is cut between words or letters.",
    ...rendered(await session.nextView()),
    ...(await changedObjects(session, files)),
  ];
}

/** The list of known objects after two of them have changed. */
async function changedObjects(
  session: ContextSession,
  files: FakeFiles,
): Promise<readonly string[]> {
  files.set("/work/fences.md", "short now\n");
  await session.read({ path: "fences.md" });
  await session.name("named.md", "note");
  const { messages } = await session.nextView();
  return [
    "A changed object gets a new line at the end of the list, and the lines before it stay. So the beginning of the prompt stays in the provider's cache.",
    ...messages.slice(0, 1).flatMap(messageBlocks),
  ];
}

async function answersOfTools(): Promise<readonly string[]> {
  const { session } = await openTestSession({
    files: { "/work/a.ts": "one\ntwo\n", "/work/photo.png": null, "/work/.env": "KEY=1\n" },
  });
  const { chatId } = await session.status();
  await session.recordNamed([".env"]);
  const cases: readonly (readonly [string, () => Promise<{ readonly text: string }>])[] = [
    ["read a.ts", async () => await session.read({ path: "a.ts" })],
    ["read a.ts, once more", async () => await session.read({ path: "a.ts" })],
    ["read photo.png", async () => await session.read({ path: "photo.png" })],
    ["read nowhere.ts", async () => await session.read({ path: "nowhere.ts" })],
    ["read a.ts from line 9", async () => await session.read({ path: "a.ts", offset: 9 })],
    ["deactivate f2", async () => await session.deactivate("f2")],
    ["deactivate f2, once more", async () => await session.deactivate("f2")],
    ["activate f2, line 2", async () => await session.activate("f2", { from: 2, to: 2 })],
    ["activate f2", async () => await session.activate("f2")],
    ["activate f2, once more", async () => await session.activate("f2")],
    ["pin f2", async () => await session.pin("f2")],
    ["pin f2, once more", async () => await session.pin("f2")],
    ["unpin f2", async () => await session.unpin("f2")],
    ["activate f3", async () => await session.activate("f3")],
    ["activate f1", async () => await session.activate("f1")],
    ["deactivate chat", async () => await session.deactivate("chat")],
    ["activate the chat's id", async () => await session.activate(chatId)],
    ["activate f77", async () => await session.activate("f77")],
    ["activate src/a.ts", async () => await session.activate("src/a.ts")],
  ];
  const lines: string[] = [];
  for (const [name, run] of cases) lines.push(`${name}\n  ${(await run()).text}`);
  return [
    "### Answers and refusals of the context tools",
    "The model, the user and the stored tool call get the same text. Here `f1` is `.env`, `f2` is `a.ts` and `f3` is `photo.png`.",
    codeBlock("text", lines.join("\n")),
  ];
}

async function scarcity(): Promise<readonly string[]> {
  const text = Array.from({ length: 60 }, (_, index) => `line ${index + 1} of the output\n`).join(
    "",
  );
  const { session } = await openTestSession({ files: { "/work/a.txt": text } });
  const history = scriptHistory();
  for (let turn = 1; turn <= 3; turn += 1) {
    history.user(`Question ${turn}: ${"why ".repeat(12).trim()}?`);
    history.call("bash", { turn }, text);
    history.say(`Answer ${turn}.`);
  }
  await history.ingest(session);
  await session.read({ path: "a.txt" });
  await session.pin("t1");
  const view = await session.nextView({ contextWindow: 480, reserve: 0 });
  return [
    "### A budget that is too small",
    `The order of precedence is: a legal sequence, the budget, the newest user message, pinned objects, objects that were just activated, all others (decision D54). One line replaces the turns that left the view. The active objects are shown here as: ${view.shown
      .map(({ form }) => form)
      .join(", ")}.`,
    ...rendered(view),
    "With a smaller budget the metadata pool shows only its newest lines:",
    ...(await crowdedPool()),
  ];
}

async function crowdedPool(): Promise<readonly string[]> {
  const names = Array.from({ length: 30 }, (_, index) => `notes-${index + 1}.md`);
  const { session } = await openTestSession({
    files: Object.fromEntries(names.map((name) => [`/work/${name}`, "text\n"])),
  });
  await session.recordNamed(names);
  const history = scriptHistory();
  history.user("Earlier question");
  history.say("Earlier answer");
  history.user(`A long question: ${"why ".repeat(400).trim()}?`);
  await history.ingest(session);
  await session.read({ path: "notes-1.md" });
  const whole = await session.nextView();
  const { metadata, chat } = whole.tokens;
  const room = chat + Math.floor(metadata / 2);
  const view = await session.nextView({ contextWindow: Math.ceil(room / 0.95), reserve: 0 });
  const least = await session.nextView({ contextWindow: 120, reserve: 0 });
  return [
    ...view.messages.slice(0, 1).flatMap(messageBlocks),
    "A user message that alone exceeds the budget is shown by its beginning and end:",
    ...rendered(least),
  ];
}

async function compaction(): Promise<readonly string[]> {
  const { session } = await openTestSession();
  const history = scriptHistory();
  history.user("Old question");
  history.say("Old answer");
  history.user("Go on");
  history.push({
    role: "assistant",
    content: [{ type: "toolCall", id: "call_lost", name: "bash", arguments: { command: "sleep" } }],
    meta: { stopReason: "toolUse" },
    timestamp: 1_700_000_001_000,
  });
  history.push({
    role: "opaque",
    kind: "hostNote",
    raw: { role: "hostNote", text: "shown as the host would" },
    timestamp: 1_700_000_001_001,
  });
  await history.ingest(session);
  const kept = history.messages.slice(2);
  history.messages.splice(0, history.messages.length, {
    role: "summary",
    kind: "compactionSummary",
    raw: { role: "compactionSummary", summary: "They talked." },
    isFromManager: false,
    timestamp: 1_700_000_002_000,
  });
  history.messages.push(...kept);
  await history.ingest(session);
  return [
    "### A user's compaction, a missing result, and an opaque message",
    "A summary that the user asked for replaces the summarised messages (decision D53). A tool call without a result gets an answer, so that the sequence stays legal. Opaque messages are sent back unchanged; here their JSON is shown.",
    ...rendered(await session.nextView()),
  ];
}

/** Every message of a view, each block by itself. */
function rendered({ messages, tokens }: View): readonly string[] {
  const sum = tokens.metadata + tokens.chat + tokens.active;
  return [
    ...messages.flatMap((message, index) => messageBlocks(message, index)),
    `Estimated tokens: ${tokens.metadata} of metadata, ${tokens.chat} of chat, ${tokens.active} of active content, ${sum} in all.`,
  ];
}
