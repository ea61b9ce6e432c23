import assert from "node:assert/strict";

import type { HarnessHost, HostCall, HostOptions, OpenHost } from "./harness-host.ts";
import type { ModelReply, ModelRequest, ModelToolCall } from "./model-request.ts";
import { blue } from "./samples.ts";

/** What the model does with one request: tool calls by their ids, chosen now or from what the request shows. */
export type ScriptedStep = Calls | ((request: ModelRequest) => Calls);

type Calls = Readonly<Record<string, HostCall>>;

/** A host that is spoken to with scripts. */
export interface Stage extends AsyncDisposable {
  readonly host: HarnessHost;
  /**
   * Says something and has the model take the steps one after another; the request after the last one is answered with
   * a text. Answers the requests of this run, one more than there are steps.
   */
  readonly say: (
    text: string,
    steps?: readonly ScriptedStep[],
    images?: readonly string[],
  ) => Promise<readonly ModelRequest[]>;
  /** Says something, and has the model's answer break off after `halfAnswer`. */
  readonly breakOff: (text: string) => Promise<void>;
}

/** The text of an answer that breaks off. */
export const halfAnswer = "half an answer";

/** Opens a host with the sample files; managed and sound unless told otherwise. */
export async function openStage(
  openHost: OpenHost,
  options: Partial<Omit<HostOptions, "model" | "files">> = {},
): Promise<Stage> {
  let waiting: ScriptedStep[] = [];
  let breaksOff = false;
  const failures: Error[] = [];
  let answers = 0;

  function reply(request: ModelRequest): ModelReply {
    if (breaksOff) return { text: halfAnswer, calls: [], fails: true };
    const step = waiting.shift();
    if (step === undefined) {
      answers += 1;
      return { text: `answer ${answers}`, calls: [] };
    }
    const calls = typeof step === "function" ? step(request) : step;
    return { text: "", calls: Object.entries(calls).map(([id, call]) => toolCall(id, call)) };
  }

  const host = await openHost({
    adapter: "managed",
    brokenStore: false,
    compactsEagerly: false,
    layout: "epoch",
    ...options,
    files: sampleFiles,
    model: (request) => {
      try {
        return reply(request);
      } catch (error) {
        // A host would make a failed request of it; the scenario is to have the error itself.
        failures.push(error instanceof Error ? error : new Error(String(error)));
        waiting = [];
        return { text: "stopped", calls: [] };
      }
    },
  });
  return {
    host,
    async say(text, steps = [], images = []) {
      const from = host.requests.length;
      waiting = [...steps];
      await endsWell(host.prompt(text, images));
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      const requests = host.requests.slice(from);
      assert.equal(requests.length, steps.length + 1, `a run of ${steps.length} steps`);
      return requests;
    },
    async breakOff(text) {
      breaksOff = true;
      await endsWell(host.prompt(text));
      breaksOff = false;
    },
    [Symbol.asyncDispose]: async () => await host[Symbol.asyncDispose](),
  };
}

/** Whatever law is tried, a run must not end for our sake. */
async function endsWell(run: Promise<void>): Promise<void> {
  try {
    await run;
  } catch (error) {
    assert.fail(new assert.AssertionError({ message: `the run ended badly: ${String(error)}` }));
  }
}

function toolCall(id: string, { name, arguments: args }: HostCall): ModelToolCall {
  return { id, name, arguments: args };
}

/** A text that occurs nowhere but in the sample file of this name. */
export const wordsOf = (name: string): string => `the words of ${name} stand here`;

/** The names of the sample files with text, each with the words that it alone has. */
export const textNames = ["a", "b", "c", "d", "e", "f", "g"] as const;

/** What makes a file long enough to be worth a line in its place. */
const more = "and more words, as each of the files has them, which say nothing\n".repeat(3);

const sampleFiles: HostOptions["files"] = {
  ...Object.fromEntries(textNames.map((name) => [`${name}.txt`, `${wordsOf(name)}\n${more}`])),
  "p.png": Buffer.from(blue, "base64"),
};

/** A call of one of the context tools. */
export function contextCall(
  name: "activate" | "deactivate" | "pin" | "unpin",
  id: string,
): HostCall {
  return { name, arguments: { id } };
}

/** One call of `show` for each of these names, in steps of their own. */
export function showing(host: HarnessHost, names: readonly string[]): readonly ScriptedStep[] {
  return names.map((name) => ({ [`show_${name}`]: host.calls.show(`${name}.txt`) }));
}
