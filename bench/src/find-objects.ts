// How much longer does `find_objects` take because it answers with what a session's workspace made or saw, compared with the
// search of the whole store (`findIn: "store"`), in one workspace and in ten with one store? Of equally good texts the newest
// come first, so the workspace that was filled last has its own among the first ones, and the oldest of ten the last ones.
//
//   npm run dev -- exec pnpm --filter @self-context-manager/bench find-objects
//
// Both kinds of session ask the same questions in turn, so that the load of the machine is in both.
import { type ContextManager, openContextManager } from "@self-context-manager/compose";
import { type Message, neutralCodec, readList } from "@self-context-manager/core";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { median, report, rounded } from "./report.ts";

const sessions = 100;
const callsOfSession = 20;
const rounds = 40;

const questions = [
  { words: "common" },
  { words: "parser error", limit: 20 },
  { words: "common", type: "toolcall" },
  { type: "toolcall" },
  { words: "session50" },
] as const;

/** Measures the sessions of one workspace. They are filled one after another, and the last one is the newest. */
async function measured(
  workspaces: number,
  number: number = workspaces - 1,
): Promise<Readonly<Record<string, number>>> {
  const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
  const at = join(folder, "store.sqlite");
  const open = async (number: number, findIn: "workspace" | "store"): Promise<ContextManager> => {
    const workspace = join(folder, `work${number}`);
    await mkdir(workspace, { recursive: true });
    return await openContextManager({ store: "sqlite", at, workspace, findIn, watch: false });
  };
  try {
    for (let each = 0; each < workspaces; each += 1) {
      await using manager = await open(each, "workspace");
      for (let index = each; index < sessions; index += workspaces) await fill(manager, index);
    }
    await using near = await open(number, "workspace");
    await using wide = await open(number, "store");
    const times = { workspace: [] as number[], store: [] as number[] };
    const near0 = await near.openSession({ harness: "bench", sessionId: "near" });
    const wide0 = await wide.openSession({ harness: "bench", sessionId: "wide" });
    for (const session of [near0, wide0]) for (const one of questions) await session.find(one);
    for (let round = 0; round < rounds; round += 1) {
      for (const question of questions) {
        for (const [name, session] of [
          ["workspace", near0],
          ["store", wide0],
        ] as const) {
          const start = performance.now();
          await session.find(question);
          times[name].push(performance.now() - start);
        }
      }
    }
    const [own, all] = [median(times.workspace), median(times.store)];
    return {
      workspaceMilliseconds: rounded(own),
      storeMilliseconds: rounded(all),
      ratio: rounded(own / all),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Makes a session with tool calls whose outputs have common words and one of their own. */
async function fill(manager: ContextManager, index: number): Promise<void> {
  const session = await manager.openSession({ harness: "bench", sessionId: `s${index}` });
  const list: Message[] = [{ role: "user", content: "Begin.", timestamp: index * 1_000 }];
  for (let call = 0; call < callsOfSession; call += 1) {
    const id = `s${index}c${call}`;
    const timestamp = index * 1_000 + call + 1;
    const text = `common parser line ${call}\nerror in session${index}\n`.repeat(10);
    list.push(
      {
        role: "assistant",
        content: [{ type: "toolCall", id, name: "bash", arguments: { command: `echo ${call}` } }],
        timestamp,
      },
      {
        role: "toolResult",
        toolCallId: id,
        toolName: "bash",
        content: [{ type: "text", text }],
        isError: false,
        timestamp,
      },
    );
  }
  await session.ingestAndView(readList(list, neutralCodec));
  await session[Symbol.asyncDispose]();
}

report("find-objects", {
  one: await measured(1),
  ten: await measured(10),
  oldestOfTen: await measured(10, 0),
});
