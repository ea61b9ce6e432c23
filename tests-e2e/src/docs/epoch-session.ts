import {
  type Block,
  type ContextSession,
  epochLayout,
  type EpochSettings,
  recentlyUsedPolicy,
  type ToolAnswer,
  type ViewMessage,
} from "@self-context-manager/core";
import { objectId, type ObjectStore, sealObject } from "@self-context-manager/objects";

import {
  type FakeFiles,
  openTestSession,
  type ScriptedHistory,
  scriptHistory,
} from "../session/core-sessions.ts";
import { messageBlocks } from "./message-blocks.ts";

const image: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const functions = Array.from(
  { length: 14 },
  (_, index) => `export const add${index + 1} = (n: number) => n + ${index + 1};\n`,
).join("");

/** A session with epochs, call by call. */
export async function epochSession(): Promise<readonly string[]> {
  const stage = await openStage();
  return [
    ...(await arrivals(stage)),
    ...(await changes(stage)),
    ...(await ends(stage)),
    ...(await comesBack(stage)),
    ...(await loaded(stage)),
    ...(await freeTexts()),
  ];
}

interface Stage {
  readonly session: ContextSession;
  readonly store: ObjectStore;
  readonly files: FakeFiles;
  readonly history: ScriptedHistory;
  readonly ask: (tool: "read" | "activate" | "deactivate", target: string) => Promise<void>;
  /** Makes the next call and returns the blocks of its new messages. */
  readonly call: () => Promise<readonly string[]>;
}

async function openStage(settings: Partial<EpochSettings> = {}): Promise<Stage> {
  const { session, store, files } = await openTestSession({
    layout: epochLayout({
      share: 0.001,
      shareAtTurn: 0.001,
      small: 8,
      largeArguments: 60,
      trim: { over: 120, head: 24, tail: 12 },
      ...settings,
    }),
    policy: recentlyUsedPolicy({ alive: 12, kept: 1 }),
    files: { "/work/src/add.ts": functions },
  });
  const history = scriptHistory();
  const run = {
    read: async (path: string, callId: string): Promise<ToolAnswer> =>
      await session.read({ path }, { callId }),
    activate: async (id: string, callId: string): Promise<ToolAnswer> =>
      await session.activate(id, {}, { callId }),
    deactivate: async (id: string, callId: string): Promise<ToolAnswer> =>
      await session.deactivate(id, { callId }),
  };
  let sent: readonly ViewMessage[] = [];
  return {
    session,
    store,
    files,
    history,
    ask: async (tool, target) => {
      const args = tool === "read" ? { path: target } : { id: target };
      await history.ask(tool, args, async (callId) => await run[tool](target, callId));
    },
    call: async () => {
      await history.ingest(session);
      const { messages, epoch } = await session.nextView();
      const before = sent;
      sent = messages;
      const first = messages.findIndex(
        (message, index) => JSON.stringify(message) !== JSON.stringify(before[index]),
      );
      const why = epoch?.isNew === true ? ` The epoch before ended (\`${epoch.endedBy}\`).` : "";
      return [
        `Messages 1 to ${first} are unchanged.${why}`.replace(
          /^Messages 1 to 0 .*unchanged\./u,
          "The first call.",
        ),
        ...messages.slice(first).flatMap((message, index) => messageBlocks(message, first + index)),
      ];
    },
  };
}

async function arrivals({ history, ask, call }: Stage): Promise<readonly string[]> {
  history.user("Do they add?");
  await ask("read", "src/add.ts");
  history.call("bash", { command: "npm test" }, "1 passed\n");
  history.call(
    "bash",
    { command: "npm run lint" },
    Array.from({ length: 40 }, (_, n) => `src/file-${n + 1}.ts is fine\n`).join(""),
  );
  history.call("screenshot", { name: "page" }, [{ type: "text", text: "taken" }, image]);
  return [
    "### New results",
    "The content that `read` delivers replaces the tool's result: a header with handle, name and version, and the content in a fence of tildes. The fence is longer than any run of tildes in the content, so a text can neither close nor forge it. A short output is unchanged. A very long output of a command that the model has answered before is shown by its beginning and end. In this example the limits for short and long are small.",
    ...(await call()),
  ];
}

async function changes({ session, files, history, ask, call }: Stage): Promise<readonly string[]> {
  files.set("/work/src/add.ts", functions.replace("n + 7", "7 + n"));
  await ask("read", "src/add.ts");
  await ask("read", "src/add.ts");
  const text = "Each function adds a number of its own.\n".repeat(8);
  files.set("/work/notes.md", text);
  const id = history.call("write", { path: "notes.md", content: text }, "Wrote notes.md\n");
  await session.recordWrite("notes.md", { callId: id });
  return [
    "### Changes, and content that is in view already",
    "A newer version is shown as a diff if that is shorter. The older version stays in view until the epoch ends. Content that is in view already is named and not repeated. A text that the model writes is shown in its tool call.",
    ...(await call()),
  ];
}

async function ends({ history, ask, call }: Stage): Promise<readonly string[]> {
  await ask("deactivate", "t3");
  const still = await call();
  history.user("And now?");
  return [
    "### A deactivation, and the end of an epoch",
    "`deactivate` changes the state at once, and the view when the epoch ends. The settings of this example end the epoch one call later. Each content that was not used recently then becomes its reference line. Large arguments of a write that were not used recently become an argument stub, `[320 characters, now in f2 v1]`.",
    ...still,
    ...(await call()),
  ];
}

async function comesBack({ ask, call }: Stage): Promise<readonly string[]> {
  await ask("activate", "t3");
  return [
    "### Activation of a removed object",
    "`activate` shows the whole content, instead of the tool's result.",
    ...(await call()),
  ];
}

async function loaded({ session, store, history, call }: Stage): Promise<readonly string[]> {
  const plan = sealObject({
    id: objectId("0190eeee-0000-7000-8000-000000000001"),
    type: "plan",
    locked: false,
    content: "1. Test each function.\n2. Release.\n",
    char_count: 34,
    nickname: "release plan",
    short_summary: "Two steps.\nThe second is the release.",
    view: ["short_summary", "content"],
    provenance: { origin: "program", generator: "human" },
  });
  await store.commit([{ object: plan }]);
  await session.load(plan.body.id);
  history.say("I know the plan.");
  return [
    "### An object that a program has loaded, with a view of its own",
    "An object that a program loads as inactive gets its metadata line at the end of the next view. The fields that the object's own `view` names follow each line of the object as JSON, at most 60 tokens. Content cannot be named.",
    ...(await call()),
  ];
}

/** Another session, of which only the view after the end of its epoch is shown. */
async function freeTexts(): Promise<readonly string[]> {
  const { session, files, history, ask, call } = await openStage({
    largeArguments: 600,
    replacedTexts: 1,
    otherArguments: { over: 60, age: 1 },
  });
  history.user("Simplify it.");
  await ask("read", "src/add.ts");
  const [oldText, newText] = [functions.slice(0, 130), "export * from './other.ts';\n"];
  files.set("/work/src/add.ts", functions.replace(oldText, newText));
  const edit = { path: "src/add.ts", oldText, newText };
  const id = history.call("edit", edit, "Edited.\n");
  await session.recordWrite("src/add.ts", { callId: id, args: edit });
  const command = Array.from({ length: 14 }, (_, n) => `npm test -- add${n + 1}\n`).join("");
  history.call("bash", { command }, "14 passed\n");
  history.call("bash", { command: "npm run lint" }, "fine\n");
  await call();
  await ask("deactivate", "src/add.ts");
  await call();
  history.user("And now?");
  return [
    "### Free texts",
    "In another session, an epoch ends for the file that was read. Behind it, the text that the edit replaced and the rest of the long command leave too, because these messages are written to the cache again anyway. In this example one later answer with a tool call is enough.",
    ...(await call()),
  ];
}
