import { createOpenAI } from "@ai-sdk/openai";
import { aiSdkContext } from "@self-context-manager/adapter-ai-sdk";
import { openContextManager } from "@self-context-manager/compose";
import {
  automaticPrefixCache,
  openLoopbackModel,
  type Reply,
  type ScriptedToolCall,
} from "@self-context-manager/evaluate/loopback";
import { generateText, isStepCount, jsonSchema, type ModelMessage, tool, type ToolSet } from "ai";

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { pricesOf, unitsOf } from "../caching/priced-run.ts";
import { numberedLines } from "../trouble/made-files.ts";
import { type ShortCall, shortFiles, shortTurns } from "./short-session.ts";

/** What a run of the short session cost, in tokens of uncached input, and its errors. */
export interface ShortCost {
  readonly units: number;
  readonly calls: number;
  readonly problems: readonly string[];
}

/** The instructions and the tools of the app have together as many tokens as those of Pi. */
const instructions = numberedLines("You are the assistant of a shop. Rule", 60, 80);

/** Runs the short session in an app on the AI SDK, with managed context or without, on a cache that needs no marks. */
export async function sdkShortCost(isManaged: boolean): Promise<ShortCost> {
  const folder = await mkdtemp(join(tmpdir(), "scm-short-"));
  const replies = shortTurns.flatMap(({ calls, answer }) => [
    ...calls.map((call): Reply => ({ type: "tool-calls", text: call.says, calls: [toolOf(call)] })),
    { type: "text" as const, text: answer },
  ]);
  try {
    await writeFiles(folder);
    // With OpenAI's steps of 128 tokens, the cost of a short session depends on where its prompts end.
    await using server = await openLoopbackModel({
      cache: automaticPrefixCache({ step: 1 }),
      script: ({ index }) => withId(replies[index], index),
    });
    const model = createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o");
    const notices: string[] = [];
    await using manager = await openContextManager({
      store: "memory",
      workspace: folder,
      watch: false,
    });
    await using context = aiSdkContext({
      openSession: () => manager.openSession({ harness: "short-app", sessionId: "chat" }),
      tools: appTools(folder),
      notify: (text) => void notices.push(text),
    });
    let messages: ModelMessage[] = [];
    for (const { prompt } of shortTurns) {
      messages = [...messages, { role: "user", content: prompt }];
      const usual = { model, instructions, messages, stopWhen: isStepCount(100), maxRetries: 0 };
      const result = isManaged
        ? await generateText({
            ...usual,
            tools: context.tools,
            prepareStep: context.prepareStep,
          })
        : await generateText({ ...usual, tools: appTools(folder) });
      if (isManaged) await context.finish(result);
      messages = [...messages, ...result.responseMessages];
    }
    return {
      units: unitsOf(server.billed, pricesOf.openai),
      calls: server.billed.length,
      problems: [...server.failures, ...notices],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writeFiles(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(shortFiles)) {
    const at = join(folder, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, text);
  }
}

function toolOf(call: ShortCall): ScriptedToolCall {
  if ("runs" in call) return { id: "", name: "bash", arguments: { command: call.runs } };
  if ("reads" in call) return { id: "", name: "read", arguments: { path: call.reads } };
  if ("writes" in call)
    return { id: "", name: "write", arguments: { path: call.writes, content: call.text } };
  const { edits: path, from: oldText, to: newText } = call;
  return { id: "", name: "edit", arguments: { path, oldText, newText } };
}

function withId(reply: Reply | undefined, index: number): Reply {
  if (reply === undefined) throw new RangeError("the session has ended");
  if (reply.type !== "tool-calls") return reply;
  return { ...reply, calls: reply.calls.map((call) => ({ ...call, id: `call_${index}` })) };
}

const run = promisify(execFile);

/** The tools of a small coding app. */
function appTools(folder: string): ToolSet {
  return {
    bash: tool({
      description: "Runs a command of the shell in the working folder. Returns what it prints.",
      inputSchema: texts<"command">("command"),
      execute: async ({ command }) => (await run("sh", ["-c", command], { cwd: folder })).stdout,
    }),
    read: tool({
      description: "Returns the text of a file.",
      inputSchema: texts<"path">("path"),
      execute: async ({ path }) => await readFile(join(folder, path), "utf8"),
    }),
    edit: tool({
      description: "Replaces a text of a file, which must be in it once, by another one.",
      inputSchema: texts<"path" | "oldText" | "newText">("path", "oldText", "newText"),
      execute: async ({ path, oldText, newText }) => {
        const text = await readFile(join(folder, path), "utf8");
        await writeFile(
          join(folder, path),
          text.replace(oldText, () => newText),
        );
        return `Replaced 1 text in ${path}.`;
      },
    }),
    write: tool({
      description: "Writes a text to a file, in place of what the file had.",
      inputSchema: texts<"path" | "content">("path", "content"),
      execute: async ({ path, content }) => {
        await writeFile(join(folder, path), content);
        return `Wrote ${path}.`;
      },
    }),
  };
}

function texts<Name extends string>(
  ...names: readonly Name[]
): ReturnType<typeof jsonSchema<Readonly<Record<Name, string>>>> {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  return jsonSchema({ type: "object", properties, required: [...names] });
}
