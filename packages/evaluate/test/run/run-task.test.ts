import { EventEmitter, once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import type { EvaluationHost, HostOptions, HostSession } from "../../src/model/host.ts";
import type { RunRecord } from "../../src/model/run-record.ts";
import type { Task } from "../../src/model/task.ts";
import { evaluate, type EvaluateOptions } from "../../src/run/evaluate.ts";
import { providerModel } from "../../src/run/evaluated-model.ts";
import { readResults } from "../../src/run/results-folder.ts";
import { verifyResults } from "../../src/run/verify-results.ts";
import { canaryOf } from "../../src/tasks/canary.ts";
import { madeTask } from "../made-task.ts";
import { keepingArm } from "./run-host.ts";

/** A host whose prompts are answered by a function. */
function hostOf(
  prompt: (
    options: HostOptions,
    ...given: Parameters<HostSession["prompt"]>
  ) => Promise<{
    readonly text: string;
    readonly error?: string;
    readonly notices?: readonly string[];
  }>,
  more: Partial<Pick<HostSession, "newSession">> & { readonly end?: () => void } = {},
): EvaluationHost {
  return {
    name: "pi",
    version: "of a test",
    open: async (options) => ({
      prompt: async (...given) => await prompt(options, ...given),
      newSession: more.newSession ?? (async () => {}),
      [Symbol.asyncDispose]: async () => more.end?.(),
    }),
  };
}

const answer = {
  type: "message",
  role: "assistant",
  content: [
    { type: "text", text: "Done." },
    { type: "tool_use", id: "1", name: "read", input: { path: "a.txt" } },
  ],
  stop_reason: "end_turn",
  usage: {
    input_tokens: 1000,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 20,
    output_tokens: 5,
  },
};

/** Has the event `hang` when a provider got a request that it does not answer. */
const received = new EventEmitter();

/** A provider that does what the text of a request says: hang, find it too long, or answer. */
async function provider(): Promise<AsyncDisposable & { readonly model: EvaluateOptions["model"] }> {
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString();
    if (text.includes("hang")) {
      received.emit("hang");
      return;
    }
    const error = text.includes("long")
      ? "prompt is too long: 300000 tokens > 200000 maximum"
      : undefined;
    const body =
      error === undefined
        ? answer
        : { type: "error", error: { type: "invalid_request_error", message: error } };
    outgoing.writeHead(error === undefined ? 200 : 400, { "content-type": "application/json" });
    outgoing.end(JSON.stringify(body));
  };
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const access = {
    provider: "test",
    id: "m",
    api: "anthropic-messages",
    url: `http://127.0.0.1:${port}`,
    key: "a key for tests",
    contextWindow: 200_000,
    maxTokens: 100,
    isReasoning: false,
    prices: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 },
  } as const;
  return {
    model: providerModel(access),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Sends a request, and returns the text of the answer. */
async function ask({ access }: HostOptions, text: string): Promise<string> {
  const response = await fetch(`${access.url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({
      model: access.id,
      max_tokens: 10,
      messages: [{ role: "user", content: text }],
    }),
  });
  return await response.text();
}

interface Ran {
  readonly record: RunRecord;
  readonly problems: readonly string[];
}

/** The only run of an evaluation, and what verification says about it. */
async function ran(
  task: Partial<Task>,
  host: EvaluationHost,
  { verifies = false, ...given }: Partial<EvaluateOptions> & { readonly verifies?: boolean } = {},
): Promise<Ran> {
  const out = await mkdtemp(join(tmpdir(), "scm-run-test-"));
  await using opened = await provider();
  try {
    const made = madeTask({ name: "memory/made", family: "memory", ...task });
    await evaluate({
      out,
      arms: [keepingArm("plain")],
      tasks: new Map([[1, [made]]]),
      host,
      model: opened.model,
      version: "test",
      ...given,
    });
    const [record] = (await readResults(out)).records;
    if (record === undefined) throw new TypeError("the run is no result");
    const problems = verifies ? (await verifyResults(out)).problems : [];
    return { record, problems: problems.map(({ text }) => text) };
  } finally {
    await rm(out, { recursive: true });
  }
}

describe("runTask", () => {
  it("does the steps in order, and names each call and each change by them", async () => {
    const sessions: string[] = [];
    const host = hostOf(
      async (options, text) => {
        sessions.push(text, await readFile(join(options.workspace, "a.txt"), "utf8"));
        await ask(options, text);
        return { text: "Done.", notices: ["careful"] };
      },
      { newSession: async () => void sessions.push("session"), end: () => sessions.push("end") },
    );
    const { record, problems } = await ran(
      {
        workspace: { files: { "a.txt": "old" } },
        steps: [
          { type: "prompt", text: "one" },
          { type: "change", files: { "a.txt": "new" } },
          { type: "session" },
          { type: "session" },
          { type: "prompt", text: "the word is blue" },
          { type: "session" },
        ],
        facts: [
          { id: "word", pattern: "word is (\\w+)", value: "blue", neededAt: [0, 4], source: "it" },
        ],
      },
      host,
      { verifies: true },
    );

    expect(sessions).toEqual([
      "one",
      "old",
      "session",
      "session",
      "the word is blue",
      "new",
      "session",
      "end",
    ]);
    expect(record.facts.map(({ step, seen }) => [step, seen])).toEqual([
      [0, "never"],
      [4, "at-once"],
    ]);
    expect(record).toMatchObject({ end: "finished", isSolved: true, notices: ["careful"] });
    expect(record.figures).toMatchObject({
      calls: 2,
      turns: 2,
      input: 2000,
      cacheRead: 600,
      cacheWrite: 40,
      output: 10,
      peakInput: 1320,
      overWindow: 0,
      rereads: 0,
    });
    expect(record.figures.dollars).toBeCloseTo(2 * (0.001 + 0.00003 + 0.00004 + 0.00005), 10);
    // The second after the change does not count.
    expect(record.figures.seconds).toBeLessThan(1);
    expect(problems).toEqual([]);
  });

  it("counts a call that the host left in flight", async () => {
    const host = hostOf(async (options, text) => {
      await ask(options, text);
      const hangs = once(received, "hang");
      void ask(options, "hang").catch(() => undefined);
      await hangs;
      return { text: "Done." };
    });
    const { record, problems } = await ran({}, host, { verifies: true });

    expect(record.figures.calls).toBe(2);
    // What the provider takes for it is unknown.
    expect(record.figures).not.toHaveProperty("dollars");
    expect(problems).toEqual([]);
  });

  it("ends a run at its limit of calls", async () => {
    const host = hostOf(async (options, text) => {
      await ask(options, text);
      await ask(options, text);
      return { text: "Done.", error: "refused" };
    });
    const { record } = await ran({ limits: { calls: 1, minutes: 1 } }, host);

    expect(record).toMatchObject({ end: "call-limit", isSolved: false, figures: { turns: 0 } });
    expect(record.failure?.evidence).toBe("more than 1 calls");
  });

  it("ends a run at its limit of time", async () => {
    const host = hostOf(async (options, text, { signal }) => {
      await ask(options, text);
      await once(signal, "abort");
      return { text: "Done." };
    });
    const { record } = await ran({ limits: { calls: 9, minutes: 0.005 } }, host);

    expect(record).toMatchObject({ end: "time-limit", isSolved: false });
  });

  it.each([
    ["provider-error", "long"],
    ["host-error", "well"],
  ] as const)("ends a run with %s after the answer %s", async (end, text) => {
    const host = hostOf(async (options) => {
      await ask(options, "first");
      await ask(options, text);
      return { text: "", error: "it did not work" };
    });
    const { record } = await ran({}, host);

    expect(record).toMatchObject({ end, failure: { kind: end, evidence: "it did not work" } });
    expect(record.figures.overWindow).toBe(text === "long" ? 1 : 0);
    expect(record.figures.dollars).toBeGreaterThan(0);
  });

  it("is no result if the host throws before a call, and stops the evaluation", async () => {
    const host = hostOf(async () => await Promise.reject(new Error("no host")));

    await expect(ran({}, host)).rejects.toThrow(/the host made no call .*: no host/u);
  });

  it.each([
    ["is missing", undefined, /^the store has no call/u],
    ["is no database", "no database", /^the store cannot be read/u],
  ])("has a fault if a managed run's store %s", async (_, store, fault) => {
    const host = hostOf(async (options, text) => {
      if (store !== undefined) await writeFile(options.store, store);
      await ask(options, text);
      return { text: "Done." };
    });
    const arm = { ...keepingArm("managed"), isManaged: true };
    const { record, problems } = await ran({}, host, { arms: [arm], verifies: true });

    expect(record.faults).toEqual([expect.stringMatching(fault)]);
    expect(problems).toEqual([]);
  });

  it("has faults of the model, and one if a request has the canary of the hidden files", async () => {
    const task = { hidden: { "test.js": "hidden" } };
    const host = hostOf(async (options) => {
      await ask(options, canaryOf(madeTask({ name: "memory/made", family: "memory", ...task })));
      return { text: "Done." };
    });
    await using opened = await provider();
    const model: EvaluateOptions["model"] = {
      name: "test/m",
      open: async (run) => ({ ...(await opened.model.open(run)), failures: ["a wrong request"] }),
    };
    const { record } = await ran(task, host, { model });

    expect(record.faults).toEqual(["a wrong request", expect.stringContaining("canary")]);
  });
});
