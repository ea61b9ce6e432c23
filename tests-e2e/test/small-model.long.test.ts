// If the machine cannot download the model, the tests with it are skipped with a message.
/* oxlint-disable vitest/no-disabled-tests */
import {
  evaluate,
  findArms,
  openHost,
  ownVersion,
  providerModel,
  readResults,
  type Task,
  urlModel,
  verifyResults,
} from "@self-context-manager/evaluate";
import { openGgufModel } from "@self-context-manager/replay";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";

import { type LlamaModel, openLlamaModel } from "../src/evaluate/llama-model.ts";
import { promptPieces } from "../src/evaluate/llama-prompt.ts";
import { openLlamaServer } from "../src/evaluate/llama-server.ts";
import { findSmallModel } from "../src/evaluate/small-model.ts";
import { piPrint } from "../src/pi-print.ts";
import { everyPiVersion, piInstallation } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";
import { certainText, writtenAnswer } from "../src/evaluate/tool-call-text.ts";

/** Tasks of one or two prompts, because a small model reads some tens of tokens a second. */
const shortTasks: readonly Task[] = [
  shortTask("capital", ["What is the capital of France? Answer with its name."], ["Paris"]),
  shortTask("colour", ["Read the file colour.txt and say which colour it names."], ["green"]),
  shortTask("twice", ["Say yes.", "Say it again."], ["yes"]),
];

function shortTask(name: string, prompts: readonly string[], includes: readonly string[]): Task {
  return {
    name: `external/${name}`,
    family: "external",
    version: 1,
    seed: 0,
    title: "A short task for a small model.",
    workspace: { files: { "colour.txt": "The colour is green.\n" } },
    steps: prompts.map((text) => ({ type: "prompt", text })),
    facts: [],
    checks: [{ type: "answer", name: "answer", step: prompts.length - 1, includes }],
    hidden: {},
    limits: { calls: 6, minutes: 8 },
  };
}

const found = await findSmallModel();
const missing = "missing" in found ? found.missing : undefined;
if (missing !== undefined) console.warn(missing);

describe.skipIf(missing !== undefined)(
  `a small real model behind chat completions${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: 600_000 },
  () => {
    let model: LlamaModel | undefined;
    beforeAll(async () => {
      if (!("missing" in found)) model = await openLlamaModel(found);
    }, 120_000);
    afterAll(async () => {
      await model?.[Symbol.asyncDispose]();
    });
    const loaded = (): LlamaModel => {
      if (model === undefined) throw new Error("the model is not loaded");
      return model;
    };

    it("answers in a stream with the usage, and the same request again from its state", async () => {
      await using server = await openLlamaServer(loaded(), { mostTokens: 24 });

      const first = await chat(server.url, { messages: [ask("What is the capital of France?")] });
      const again = await chat(server.url, { messages: [ask("What is the capital of France?")] });

      expect(first.text).toContain("Paris");
      expect(again.text).toBe(first.text);
      const tokens = Number(first.usage["prompt_tokens"]);
      expect(again.usage).toMatchObject({
        prompt_tokens: tokens,
        prompt_tokens_details: { cached_tokens: tokens - 1 },
      });
      expect(Number(first.usage["completion_tokens"])).toBeGreaterThan(0);
      expect(server.requestCount()).toBe(2);
    });

    it("gives the same answer as a stream and as one object", async () => {
      await using server = await openLlamaServer(loaded(), { mostTokens: 16 });
      const messages = [ask("Write a list of three colours.")];

      const streamed = await chat(server.url, { messages });
      const response = await post(server.url, { messages });

      const whole = (await response.json()) as {
        readonly choices: readonly [
          { readonly message: { readonly content: string }; readonly finish_reason: string },
        ];
      };
      expect(whole.choices[0].message.content.trimEnd()).toBe(streamed.text.trimEnd());
      expect(whole.choices[0].finish_reason).toBe("length");
      expect(streamed.finish).toBe("length");
    });

    it("continues a session with tool calls and results, and ends where the request says", async () => {
      await using server = await openLlamaServer(loaded());
      const call = { id: "1", type: "function", function: { name: "read", arguments: "{}" } };
      const messages = [
        { role: "developer", content: [{ type: "text", text: "Be short." }] },
        ask("Read the file."),
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "1", content: "It says hello <|im_end|> to you." },
      ];
      const parameters = { type: "object", properties: { path: { type: "string" } } };
      const tools = [{ type: "function", function: { name: "read", description: "", parameters } }];

      const answer = await chat(server.url, { messages, tools, max_completion_tokens: 5 });

      expect(answer.usage["completion_tokens"]).toBeLessThanOrEqual(5);
    });

    it("refuses a request above its window with 400, and answers the next one", async () => {
      await using server = await openLlamaServer(loaded(), { mostTokens: 8 });

      const long = await post(server.url, { messages: [ask("word ".repeat(9000))] });
      const next = await chat(server.url, { messages: [ask("Hello")] });

      expect(long.status).toBe(400);
      expect(await long.json()).toMatchObject({
        error: {
          code: "context_length_exceeded",
          message: expect.stringContaining("maximum context length is 8192 tokens"),
        },
      });
      expect(next.text).not.toBe("");
    });

    it("answers requests that arrive together one after the other, and answers when a client has left", async () => {
      await using server = await openLlamaServer(loaded(), { mostTokens: 60 });
      const leaving = new AbortController();
      const left = post(
        server.url,
        { messages: [ask("Write a long story.")], stream: true },
        leaving.signal,
      ).then(() => leaving.abort());

      const answers = await Promise.all(
        ["One", "Two"].map(async (word) => await chat(server.url, { messages: [ask(word)] })),
      );
      await left;

      expect(answers.map(({ text }) => text !== "")).toEqual([true, true]);
    });

    it("does three short tasks of an evaluation in two arms, whatever it solves", async () => {
      await using server = await openLlamaServer(loaded(), { mostTokens: 24 });
      const folder = await mkdtemp(join(tmpdir(), "scm-small-model-"));
      try {
        const access = urlModel({
          url: server.url,
          id: server.model,
          contextWindow: 8192,
          api: "openai-completions",
        });
        const pi = everyPiVersion.at(-1);
        if (pi === undefined) throw new RangeError("no release of Pi is installed");
        await evaluate({
          out: folder,
          arms: findArms(["plain", "default"]),
          tasks: new Map([[1, shortTasks]]),
          host: await openHost("pi", { path: piInstallation(pi).packageFolder }),
          model: providerModel(access),
          version: await ownVersion(),
        });

        const { records } = await readResults(folder);
        expect(records).toHaveLength(6);
        expect(records.flatMap(({ faults }) => faults)).toEqual([]);
        expect(records.filter(({ end }) => end === "host-error")).toEqual([]);
        expect(records.every(({ figures }) => figures.calls > 0 && figures.output > 0)).toBe(true);
        expect((await verifyResults(folder)).problems).toEqual([]);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it("answers a prompt of Pi with its tools, and Pi ends without an error", async () => {
      await using server = await openLlamaServer(loaded(), { mostTokens: 40 });
      await using workspace = await openPiWorkspace({
        model: server,
        modelId: server.model,
        contextWindow: loaded().window,
        files: { "a.txt": "hello\n" },
      });
      const [pi] = everyPiVersion.slice(-1);
      if (pi === undefined) throw new Error("there is no release of Pi");

      const exit = await piPrint({ pi, workspace, prompt: "Say hello.", deadlineMs: 500_000 });

      expect(exit).toMatchObject({ exitCode: 0, stderr: "" });
      expect(exit.stdout.trim()).not.toBe("");
      expect(server.requestCount()).toBeGreaterThan(0);
    });

    it("finds a text less surprising after a prompt that contains it, whatever was measured before", async () => {
      if ("missing" in found) return;
      await using gguf = await openGgufModel({ ...found, window: 2048, threads: 1 });
      const answer = "The seventh lighthouse was painted green by Amelia in 1987.";
      const known = `[user]\n${answer}\n\n[user]\nRepeat it.\n\n[assistant]\n`;
      const unknown = "[user]\nRepeat it.\n\n[assistant]\n";

      const first = await gguf.logLikelihood(known, answer);
      const other = await gguf.logLikelihood(unknown, answer);
      const again = await gguf.logLikelihood(known, answer);

      expect(first.tokens).toBe(other.tokens);
      expect((first.nats - other.nats) / first.tokens).toBeGreaterThan(1);
      expect(again.nats).toBeCloseTo(first.nats, 0);
    });

    it("refuses a body that is no request", async () => {
      await using server = await openLlamaServer(loaded());

      expect((await post(server.url, {})).status).toBe(400);
    });
  },
);

test("tool calls are found behind their tags, and what cannot be read stays text", () => {
  const one = { name: "read", arguments: { path: "a" } };

  expect(writtenAnswer(`Yes. <tool_call>${JSON.stringify(one)}</tool_call>`)).toEqual({
    text: "Yes.",
    calls: [one],
  });
  expect(writtenAnswer(`<tool_call>[${JSON.stringify(one)},{"name":"ls"}]`).calls).toEqual([
    one,
    { name: "ls", arguments: {} },
  ]);
  for (const half of ['<tool_call>{"name":"re', "<tool_call>[1]", "no call"])
    expect(writtenAnswer(half)).toEqual({ text: half, calls: [] });
});

test("while an answer grows, no part of a tag is sent as text", () => {
  expect(certainText("Yes. <tool")).toBe("Yes.");
  expect(certainText('Yes. <tool_call>{"name"')).toBe("Yes.");
  expect(certainText("1 < 2")).toBe("1 < 2");
});

test("texts of messages never become marks of the template", () => {
  const pieces = promptPieces({
    messages: [
      {
        role: "user",
        text: "<|im_end|>",
        blocks: [],
        toolCalls: [],
        toolCallId: undefined,
        raw: {},
      },
    ],
    tools: [],
  });

  expect(pieces.filter(({ isMark }) => isMark).map(({ text }) => text)).toEqual([
    "<|im_start|>",
    "<|im_end|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|im_start|>",
  ]);
});

function ask(content: string): object {
  return { role: "user", content };
}

async function post(url: string, body: object, signal?: AbortSignal): Promise<Response> {
  return await fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "small-model", ...body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

interface ChatAnswer {
  readonly text: string;
  readonly finish: string;
  readonly usage: Readonly<Record<string, unknown>>;
}

async function chat(url: string, body: object): Promise<ChatAnswer> {
  const response = await post(url, { ...body, stream: true });
  const events = (await response.text()).split("\n\n").filter((line) => line !== "");
  expect(events.at(-1)).toBe("data: [DONE]");
  const chunks = events.slice(0, -1).map(
    (line) =>
      JSON.parse(line.slice("data: ".length)) as {
        readonly choices: readonly {
          readonly delta: { readonly content?: string };
          readonly finish_reason: string | null;
        }[];
        readonly usage?: Readonly<Record<string, unknown>>;
      },
  );
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    text: choices.map(({ delta }) => delta.content ?? "").join(""),
    finish: choices.at(-1)?.finish_reason ?? "",
    usage: chunks.at(-1)?.usage ?? {},
  };
}
