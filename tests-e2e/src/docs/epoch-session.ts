import {
  type Block,
  type ContextSession,
  epochLayout,
  recentlyUsedPolicy,
  type ToolAnswer,
  type ViewMessage,
} from "@self-context-manager/core";

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
  ];
}

interface Stage {
  readonly session: ContextSession;
  readonly files: FakeFiles;
  readonly history: ScriptedHistory;
  readonly ask: (tool: "read" | "activate" | "deactivate", target: string) => Promise<void>;
  /** Makes the next call, and shows what is new in it. */
  readonly call: () => Promise<readonly string[]>;
}

async function openStage(): Promise<Stage> {
  const { session, files } = await openTestSession({
    layout: epochLayout({
      share: 0.001,
      shareAtTurn: 0.001,
      small: 8,
      largeArguments: 60,
      trim: { over: 120, head: 24, tail: 12 },
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
    files,
    history,
    ask: async (tool, target) => {
      const args = tool === "read" ? { path: target } : { id: target };
      await history.ask(tool, args, async (callId) => await run[tool](target, callId));
    },
    call: async () => {
      await history.ingest(session);
      const { messages, epoch } = await session.view();
      const before = sent;
      sent = messages;
      const first = messages.findIndex(
        (message, index) => JSON.stringify(message) !== JSON.stringify(before[index]),
      );
      const why = epoch?.isNew === true ? ` The epoch before ended: \`${epoch.endedBy}\`.` : "";
      return [
        `Messages 1 to ${first} are as they were sent.${why}`.replace(
          /^Messages 1 to 0 .*sent\./u,
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
    "### What arrives",
    "What `read` brings stands in the place of its result: a header with handle, name and version, and the content within a fence of tildes that is longer than any run of tildes in it, so that a text can neither close nor forge it. A short output comes as it is. A very long one of a command shows its beginning and end. What counts as short and as long is made small here.",
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
    "### What changed, and what is there already",
    "A newer version is shown as a difference where that is shorter; the older stays above until the epoch ends. What is in view already is named and not repeated. What the model writes stands in its call.",
    ...(await call()),
  ];
}

async function ends({ history, ask, call }: Stage): Promise<readonly string[]> {
  await ask("deactivate", "t3");
  const still = await call();
  history.user("And now?");
  return [
    "### What is deactivated, and an epoch's end",
    "`deactivate` changes the state at once, and the view when the epoch ends; here that is made to be soon: one call later. A content that was not among those used last becomes its reference line, from the first of them on. Large arguments of a write, once they are not among those used last, become `[320 characters, now in f2 v1]`.",
    ...still,
    ...(await call()),
  ];
}

async function comesBack({ ask, call }: Stage): Promise<readonly string[]> {
  await ask("activate", "t3");
  return [
    "### What comes back",
    "`activate` shows the whole of it, in the place of its result.",
    ...(await call()),
  ];
}
