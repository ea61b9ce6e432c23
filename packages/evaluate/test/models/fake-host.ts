import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { ModelAccess } from "../../src/model/model-access.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Fields;
}

/** One message of the host's list, from which the requests of both APIs are made. */
type Message =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly Call[] }
  | {
      readonly role: "tool";
      readonly id: string;
      readonly text: string;
      readonly isError: boolean;
      /** The handle under which a host with stubs knows it. */
      readonly handle: string;
    };

export interface FakeHostOptions {
  readonly access: ModelAccess;
  readonly workspace: string;
  /** How many results stay in view; earlier ones become a line. Absent: all stay. */
  readonly keeps?: number;
  /** Whether the model gets `find_objects`. */
  readonly canFind?: boolean;
}

export interface FakeHost {
  /** Sends a prompt and returns the answer that ends the turn. */
  prompt(text: string): Promise<string>;
  newSession(): void;
  /** The tools that were called, in order. */
  readonly called: readonly string[];
  /** The texts of provider errors. */
  readonly errors: readonly string[];
  /** The usage of each answer as the provider sent it. */
  readonly usages: readonly unknown[];
  /** Sends one request without tools. */
  title(): Promise<string>;
  /** Sends the last request once more and returns the ids of the calls in the answer. */
  repeat(): Promise<readonly string[]>;
}

/** A host of a few lines: it executes the calls in a folder, and can replace old results by lines as a view does. */
export function fakeHost(options: FakeHostOptions): FakeHost {
  const { access, workspace, keeps, canFind = false } = options;
  let messages: Message[] = [];
  let results = 0;
  const outputs = new Map<string, string>();
  /** What a search finds an output by: the arguments of its call. */
  const abouts = new Map<string, string>();
  const called: string[] = [];
  const errors: string[] = [];
  const usages: unknown[] = [];
  const isAnthropic = access.api === "anthropic-messages";
  const tools = [
    ...usualTools,
    ...(keeps === undefined ? [] : [tool("activate", "id", "from", "to", "turn")]),
    ...(canFind ? [tool("find_objects", "words", "path")] : []),
  ];

  async function send(offered: readonly Tool[]): Promise<Extract<Message, { role: "assistant" }>> {
    const seen = keeps === undefined ? messages : faded(messages, keeps);
    const response = await fetch(
      `${access.url}${isAnthropic ? "/v1/messages" : "/chat/completions"}`,
      {
        method: "POST",
        body: JSON.stringify({
          model: access.id,
          ...(isAnthropic ? anthropicBody(seen, offered) : completionsBody(seen, offered)),
        }),
      },
    );
    const body = (await response.json()) as Fields;
    if (!response.ok) {
      errors.push(JSON.stringify(body));
      return { role: "assistant", text: "", calls: [] };
    }
    usages.push(body["usage"]);
    return isAnthropic ? fromAnthropic(body) : fromCompletions(body);
  }

  async function run({ name, args }: Call): Promise<readonly [text: string, isError: boolean]> {
    const path = join(workspace, String(args["path"]));
    if (name === "read") {
      const text = await readFile(path, "utf8").catch(() => undefined);
      return text === undefined
        ? [`ENOENT: no such file ${String(args["path"])}`, true]
        : [text, false];
    }
    if (name === "write") {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, String(args["content"]));
      return ["Wrote it.", false];
    }
    if (name === "edit") {
      const [{ oldText, newText }] = args["edits"] as [{ oldText: string; newText: string }];
      const text = await readFile(path, "utf8");
      if (!text.includes(oldText)) return ["Could not find the exact text.", true];
      await writeFile(
        path,
        text.replace(oldText, () => newText),
      );
      return ["Edited.", false];
    }
    if (name === "activate") {
      const text = outputs.get(String(args["id"]));
      return text === undefined ? ["No object has this name.", true] : [text, false];
    }
    if (name === "find_objects") {
      const words = String(args["words"] ?? args["path"]).split(" ");
      const hits = [...abouts].filter(([, about]) => words.some((word) => about.includes(word)));
      return [hits.map(([handle]) => `- ${handle} an output, line 1: …`).join("\n"), false];
    }
    const done = spawnSync("sh", ["-c", String(args["command"])], {
      cwd: workspace,
      encoding: "utf8",
    });
    return [`${done.stdout}${done.stderr}`.trim(), done.status !== 0];
  }

  return {
    called,
    errors,
    usages,
    prompt: async (text) => {
      messages.push({ role: "user", text });
      for (let step = 0; step < 60; step += 1) {
        const answer = await send(tools);
        messages.push(answer);
        if (answer.calls.length === 0) return answer.text;
        for (const call of answer.calls) {
          called.push(call.name);
          const [output, isError] = await run(call);
          results += 1;
          const handle = `t${String(results)}`;
          outputs.set(handle, output);
          abouts.set(handle, JSON.stringify(call.args));
          messages.push({ role: "tool", id: call.id, text: output, isError, handle });
        }
      }
      throw new Error("the turn does not end");
    },
    newSession: () => {
      messages = [];
    },
    title: async () => {
      const kept = messages;
      messages = [{ role: "user", text: "Give this chat a title." }];
      const answer = await send([]);
      messages = kept;
      return answer.text;
    },
    repeat: async () => {
      const kept = messages;
      messages = messages.slice(
        0,
        messages.findLastIndex(({ role }) => role === "assistant"),
      );
      const answer = await send(tools);
      messages = kept;
      return answer.calls.map(({ id }) => id);
    },
  };
}

/** Replaces all results but the newest ones by lines. */
function faded(messages: readonly Message[], keeps: number): Message[] {
  const kept = new Set(messages.filter(({ role }) => role === "tool").slice(-keeps));
  return messages.map((message) =>
    message.role !== "tool" || kept.has(message)
      ? message
      : { ...message, text: `[${message.handle} ok, ${String(message.text.length)} chars]` },
  );
}

interface Tool {
  readonly name: string;
  readonly schema: object;
}

function tool(name: string, ...parameters: readonly string[]): Tool {
  const properties = Object.fromEntries(parameters.map((one) => [one, { type: "string" }]));
  return { name, schema: { type: "object", properties } };
}

const usualTools = [
  tool("read", "path"),
  tool("write", "path", "content"),
  tool("edit", "path", "edits"),
  tool("bash", "command"),
];

function anthropicBody(messages: readonly Message[], tools: readonly Tool[]): object {
  return {
    max_tokens: 1000,
    system: "You work.",
    tools: tools.map(({ name, schema }) => ({ name, input_schema: schema })),
    messages: messages.map((message) => {
      if (message.role === "user") return { role: "user", content: message.text };
      if (message.role === "assistant")
        return {
          role: "assistant",
          content: [
            ...(message.text === "" ? [] : [{ type: "text", text: message.text }]),
            ...message.calls.map(({ id, name, args }) => ({
              type: "tool_use",
              id,
              name,
              input: args,
            })),
          ],
        };
      return {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: message.id,
            content: message.text,
            is_error: message.isError,
            cache_control: undefined,
          },
        ],
      };
    }),
  };
}

function completionsBody(messages: readonly Message[], tools: readonly Tool[]): object {
  return {
    tools: tools.map(({ name, schema }) => ({
      type: "function",
      function: { name, parameters: schema },
    })),
    messages: [
      { role: "system", content: "You work." },
      ...messages.map((message) => {
        if (message.role === "user") return { role: "user", content: message.text };
        if (message.role === "tool")
          return { role: "tool", tool_call_id: message.id, content: message.text };
        const calls = message.calls.map(({ id, name, args }) => ({
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        }));
        return {
          role: "assistant",
          content: message.text,
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        };
      }),
    ],
  };
}

function fromAnthropic(body: Fields): Extract<Message, { role: "assistant" }> {
  const content = body["content"] as readonly Fields[];
  return {
    role: "assistant",
    text: content.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n"),
    calls: content.flatMap(({ type, id, name, input }) =>
      type === "tool_use" ? [{ id: String(id), name: String(name), args: input as Fields }] : [],
    ),
  };
}

function fromCompletions(body: Fields): Extract<Message, { role: "assistant" }> {
  const [choice] = body["choices"] as readonly { readonly message: Fields }[];
  const { content, tool_calls: calls = [] } = choice?.message ?? {};
  return {
    role: "assistant",
    text: String(content),
    calls: (calls as readonly { id: string; function: { name: string; arguments: string } }[]).map(
      ({ id, function: { name, arguments: args } }) => ({
        id,
        name,
        args: JSON.parse(args) as Fields,
      }),
    ),
  };
}
