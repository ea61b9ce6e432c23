import { describe, expect, it, vi } from "vitest";
import { contextFigures, summaryLines } from "../../src/adapters/context-figures.ts";
import type { Summarizer, SummaryAnswer, SummaryRequest } from "../../src/host/summarizer.ts";
import { scriptHistory } from "../session/script-history.ts";
import { testConnection, type TestConnection } from "./test-connection.ts";

const talk = "The parser reads each line again and again. ".repeat(60);

const good: SummaryAnswer = {
  text: JSON.stringify({ short_summary: "The parser is fast.", long_summary: "It is fast now." }),
  model: "test/small",
  usage: { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 50 },
};

interface Scripted {
  readonly summarizer: Summarizer;
  readonly requests: readonly SummaryRequest[];
}

function scripted(answer: (request: SummaryRequest) => Promise<SummaryAnswer>): Scripted {
  const requests: SummaryRequest[] = [];
  return {
    requests,
    summarizer: {
      specification: "summarizer-1",
      summarize: async (request) => {
        requests.push(request);
        return await answer(request);
      },
    },
  };
}

/** Two finished turns that are long enough, and the beginning of a third. */
function history(): ReturnType<typeof scriptHistory> {
  const made = scriptHistory();
  for (const topic of ["parser", "lexer"]) {
    made.user(`Make the ${topic} faster.`);
    made.say(talk);
  }
  made.user("And now?");
  return made;
}

/** Waits until the turns of a connection were tried. */
async function settled({ connection }: TestConnection, calls: number): Promise<void> {
  const session = await connection.session();
  await vi.waitFor(async () => expect((await session.status()).summaries.calls).toBe(calls));
}

async function answered(): Promise<SummaryAnswer> {
  return await Promise.resolve(good);
}

describe("a connection with a summarizer", () => {
  it("has each finished turn summarized once, the newest first, after a call", async () => {
    const { summarizer, requests } = scripted(answered);
    const made = await testConnection({ host: { summaries: { summarizer } } });
    const { messages } = history();

    await made.connection.modelCall({ messages });
    await settled(made, 2);
    await made.connection.modelCall({ messages });
    await made.connection.ingest(messages);

    expect(requests.map(({ text }) => /Make the (\w+) faster/u.exec(text)?.[1])).toEqual([
      "lexer",
      "parser",
    ]);
    expect(requests.every(({ maxTokens }) => maxTokens === 900)).toBe(true);
    expect((await (await made.connection.session()).status()).summaries.count).toBe(2);
  });

  it("has the last turn summarized when the run has ended", async () => {
    const { summarizer, requests } = scripted(answered);
    const made = await testConnection({ host: { summaries: { summarizer } } });
    const script = scriptHistory();
    script.user("Make the parser faster.");
    script.say(talk);

    await made.connection.ingest(script.messages);
    await settled(made, 1);

    expect(requests).toHaveLength(1);
  });

  it("asks nobody without one, or if the model cannot use the context tools", async () => {
    const { summarizer, requests } = scripted(answered);
    const plain = await testConnection();
    const recording = await testConnection({
      host: { summaries: { summarizer }, canActivate: () => false },
    });
    const { messages } = history();

    for (const { connection } of [plain, recording]) {
      await connection.modelCall({ messages });
      await connection.ingest(messages);
      await (await connection.session()).status();
    }

    expect(requests).toEqual([]);
  });

  it("makes no request wait for the model", async () => {
    const { summarizer, requests } = scripted(async () => await new Promise(() => {}));
    const { connection } = await testConnection({ host: { summaries: { summarizer } } });
    const { messages } = history();

    await connection.modelCall({ messages });
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    const call = await connection.modelCall({ messages });

    expect(call?.view).toBeDefined();
    expect(requests).toHaveLength(1);
    await connection[Symbol.asyncDispose]();
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  it.each([
    ["refuses", async () => await Promise.reject(new Error("429 too many requests")), "429 too"],
    ["answers something else", async () => await Promise.resolve({ ...good, text: "no" }), "asked"],
  ])("changes nothing if the model %s, and the figures name it", async (_name, answer, reason) => {
    const { summarizer, requests } = scripted(answer);
    const plain = await testConnection();
    const made = await testConnection({ host: { summaries: { summarizer } } });
    const { messages } = history();

    await made.connection.modelCall({ messages });
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    await (await made.connection.session()).status();
    const call = await made.connection.modelCall({ messages });
    await plain.connection.modelCall({ messages });
    const expected = await plain.connection.modelCall({ messages });

    expect(call?.messages).toEqual(expected?.messages);
    expect(made.notices).toEqual([]);
    const view = await made.connection.peek();
    const figures = made.connection.figures(view);
    const { summaries } = await (await made.connection.session()).status();
    expect(summaryLines(summaries, figures.summaryFailure).join("\n")).toContain(reason);
    expect(contextFigures(figures, { host: "Pi", command: "context", nameOf: String })).toEqual(
      contextFigures(plain.connection.figures(await plain.connection.peek()), {
        host: "Pi",
        command: "context",
        nameOf: String,
      }),
    );
  });

  it("gives up a request after its time, and stores no late answer", async () => {
    let pass = (): void => undefined;
    const { summarizer, requests } = scripted(async () => await new Promise(() => {}));
    const clock = {
      now: () => 1_700_000_000_000,
      wait: async (milliseconds: number) =>
        milliseconds === 5_000
          ? await new Promise<void>((resolve) => (pass = resolve))
          : await new Promise(() => {}),
    };
    const summaries = { summarizer, patience: 5_000 };
    const { connection } = await testConnection({ host: { summaries, clock } });

    await connection.modelCall({ messages: history().messages });
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    pass();
    await vi.waitFor(() => expect(requests).toHaveLength(2));

    expect(requests[0]?.signal.aborted).toBe(true);
    expect(connection.figures(await connection.peek()).summaryFailure).toBe(
      "the model did not answer within 5 s",
    );
  });

  it("leaves no promise that nobody handles if a summarizer throws at once", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", note);
    const summarizer: Summarizer = {
      specification: "summarizer-1",
      summarize: () => {
        throw new Error("no model");
      },
    };
    const clock = { now: () => 1_700_000_000_000, wait: async () => await Promise.resolve() };
    const summaries = { summarizer, patience: 5_000 };
    const { connection } = await testConnection({ host: { summaries, clock } });

    await connection.modelCall({ messages: history().messages });
    await vi.waitFor(async () => {
      const { summaryFailure } = connection.figures(await connection.peek());
      expect(summaryFailure).toBe("no model");
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", note);

    expect(unhandled).toEqual([]);
  });

  it("says that a summary could not be stored", async () => {
    const { summarizer } = scripted(answered);
    const addSummary = async (): Promise<never> =>
      await Promise.reject(new Error("the disk is full"));
    const { connection } = await testConnection({
      host: { summaries: { summarizer } },
      changed: (session) => ({ ...session, addSummary }),
    });

    await connection.modelCall({ messages: history().messages });

    await vi.waitFor(async () => {
      const { summaryFailure } = connection.figures(await connection.peek());
      expect(summaryFailure).toBe("the summary could not be stored");
    });
  });

  it("tries again while the store works again", async () => {
    const { summarizer, requests } = scripted(answered);
    const made = await testConnection({ host: { summaries: { summarizer } } });
    made.fail(new Error("the disk is full"));
    const { messages } = history();

    await made.connection.modelCall({ messages });
    expect(requests).toEqual([]);
    made.fail();
    await made.connection.modelCall({ messages });
    await settled(made, 2);

    expect(requests).toHaveLength(2);
  });
});

describe("the line about summaries", () => {
  it("is there only if a model was asked", () => {
    const none = { count: 0, calls: 0, input: 0, output: 0 };
    const some = { count: 1, calls: 2, input: 4_200, output: 300, cost: 0.0123, model: "a/b" };

    expect(summaryLines(none, undefined)).toEqual([]);
    expect(summaryLines(some, undefined)).toEqual([
      "Summaries by a/b: 1 turn, 2 calls, 4.2k tokens read and 300 written, $0.0123. The costs above are without them.",
    ]);
  });
});
