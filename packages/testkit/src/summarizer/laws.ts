import type { Summarizer, SummaryRequest } from "@self-context-manager/core";
import assert from "node:assert/strict";

/** The key of a law. It names the law in the doc comment of `Summarizer` and names the law's test. */
export type SummarizerLaw =
  | "answer-is-the-model's"
  | "request-arrives-whole"
  | "usage-is-reported"
  | "failure-rejects"
  | "signal-ends";

/** What the scripted model does with a request. */
export type SummaryReply =
  | { readonly type: "text"; readonly text: string; readonly reasoning?: string }
  /** The provider refuses the request. */
  | { readonly type: "refused" }
  /** The provider begins an answer and does not end it. */
  | { readonly type: "silent" };

/** A request as the model's provider got it. */
export interface SeenRequest {
  /** All texts of the request, joined by line feeds. */
  readonly text: string;
  /** The number of tools that the request offers. */
  readonly tools: number;
}

/** A summarizer on a model that a test scripts. */
export interface SummarizerStage extends AsyncDisposable {
  readonly summarizer: Summarizer;
  /** The model's name, as an answer has it. */
  readonly model: string;
  readonly requests: readonly SeenRequest[];
}

/** Opens a summarizer whose model gives this answer to each request. */
export type OpenSummarizer = (reply: SummaryReply) => Promise<SummarizerStage>;

/** Tests one law. Throws if the law is broken. */
export type SummarizerScenario = (open: OpenSummarizer) => Promise<void>;

const text = '~~~~\nMake "it" faster: ä, 漢字, 🙂, \\n and <tags>\n\ttabs\n~~~~';
const instruction = "You summarize.\nAnswer with JSON.";

function request(signal: AbortSignal = new AbortController().signal): SummaryRequest {
  return { instruction, text, maxTokens: 900, signal };
}

/** The longest time in milliseconds within which an aborted request ends. */
const soon = 3_000;

async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing happened within ${soon} ms`)), soon);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function isTimeError(error: unknown): boolean {
  return String(error).includes("nothing happened");
}

/** All laws, each with the scenario that tests it. */
export const summarizerLaws: Readonly<Record<SummarizerLaw, SummarizerScenario>> = {
  async "answer-is-the-model's"(open) {
    await using stage = await open({ type: "text", text: '{"a": "ä\\n"}', reasoning: "I think." });

    const answer = await stage.summarizer.summarize(request());

    assert.deepEqual([answer.text, answer.model], ['{"a": "ä\\n"}', stage.model]);
  },
  async "request-arrives-whole"(open) {
    await using stage = await open({ type: "text", text: "{}" });

    await stage.summarizer.summarize(request());

    assert.equal(stage.requests.length, 1);
    assert.equal(stage.requests[0]?.text, `${instruction}\n${text}`);
    assert.equal(stage.requests[0].tools, 0);
  },
  async "usage-is-reported"(open) {
    await using stage = await open({ type: "text", text: "{}" });

    const { usage } = await stage.summarizer.summarize(request());

    assert.ok(usage !== undefined, "the answer has no usage");
    assert.ok(usage.input + usage.cacheRead + usage.cacheWrite > 0, "no token was read");
    assert.ok(usage.output > 0, "no token was written");
  },
  async "failure-rejects"(open) {
    for (const reply of [{ type: "refused" }, { type: "text", text: "" }] as const) {
      await using stage = await open(reply);
      await assert.rejects(
        withinTime(stage.summarizer.summarize(request())),
        (error) => !isTimeError(error),
        `an answer of the kind ${reply.type} does not reject`,
      );
    }
  },
  async "signal-ends"(open) {
    await using stage = await open({ type: "silent" });
    const ending = new AbortController();
    const running = stage.summarizer.summarize(request(ending.signal));
    running.catch(() => undefined);
    const until = Date.now() + soon;
    while (stage.requests.length === 0 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 10));
    ending.abort();

    await assert.rejects(withinTime(running), (error) => !isTimeError(error));
    await assert.rejects(
      withinTime(stage.summarizer.summarize(request(ending.signal))),
      (error) => !isTimeError(error),
    );
    assert.equal(stage.requests.length, 1, "the model was asked again after the end");
  },
};
