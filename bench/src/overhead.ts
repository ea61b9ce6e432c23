// How many tokens does managed context add: to each request, and to the contents that it delivers?
//
// `overhead OLD SESSION...` measures this checkout and the checkout OLD in one run. `request` has the tokens of the
// instruction, and of each tool as JSON of its name, its description and its parameters. `headers` is measured on recorded
// sessions: the header and the fence of each content where it is first shown, divided by the tokens of these contents and of
// the outputs without a header. The files of recordings are not available, so each content has the header of an output.
// `headersOfFiles` has the longest header of a file, of 12 tokens, for each result of a tool that reads files.
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

import { report, rounded } from "./report.ts";

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

interface View {
  readonly messages: readonly {
    readonly role: string;
    readonly toolName?: string;
    readonly content: string | readonly { readonly type: string; readonly text?: string }[];
  }[];
  readonly record: {
    readonly entries: readonly {
      readonly type: string;
      readonly form?: string;
      readonly turn?: number;
      readonly step?: number;
      readonly call?: number;
    }[];
  };
}

type Parts = Readonly<Record<string, (...given: never[]) => unknown>>;

/** The tokens of a header of a file and of an output without the fence, and the tools that read files. */
const tokensOfHeader = { file: 12, output: 4 } as const;
const reading = /^(?:read|read_file|view|open|cat)$/iu;

const own = new URL("../../", import.meta.url).href;
const [old, ...files] = process.argv.slice(2);
if (old === undefined || files.length === 0)
  throw new TypeError("give a checkout to compare with, and recorded sessions");
const { countText } = (await import(`${own}packages/replay/src/measure/tokens.ts`)) as {
  readonly countText: (text: string) => number;
};

/** Returns the tokens that a checkout adds to each request beside tools of the host that read files. */
async function requestOf(root: string): Promise<Readonly<Record<string, number>>> {
  const { contextToolsBeside } = (await import(
    `${root}packages/core/src/session/context-tools.ts`
  )) as {
    readonly contextToolsBeside: (names: readonly string[]) => {
      readonly tools: readonly Tool[];
      readonly instruction: string;
    };
  };
  const { tools, instruction } = contextToolsBeside(["read"]);
  return {
    instruction: countText(instruction),
    ...Object.fromEntries(tools.map((tool) => [tool.name, countText(declared(tool))])),
    together: countText(instruction) + countText(`[${tools.map(declared).join(",")}]`),
  };
}

function declared({ name, description, parameters }: Tool): string {
  return JSON.stringify({ name, description, parameters });
}

interface Headers {
  readonly contents: number;
  readonly withHeader: number;
  readonly contentTokens: number;
  readonly headerTokens: number;
  readonly headers: number;
  readonly headersOfFiles: number;
}

async function headersOf(root: string): Promise<Headers> {
  const parts = async (path: string): Promise<Parts> =>
    (await import(`${root}packages/${path}`)) as Parts;
  const call = async (path: string, name: string, ...given: readonly unknown[]): Promise<unknown> =>
    await (await parts(path))[name]?.(...(given as never[]));
  let [contents, withHeader, reads, contentTokens, headerTokens] = [0, 0, 0, 0, 0];
  for (const file of files) {
    const session = await call("replay/src/read/read-session.ts", "readSession", file);
    const segments = (await call("replay/src/corpus/segments.ts", "segmentsOf", session)) as {
      readonly rows: unknown;
    }[];
    for (const [index, { rows }] of segments.entries()) {
      const run = "replay/src/strategies/full-run.ts";
      const chosen = await call("replay/src/strategies/strategies.ts", "defaultParts");
      const store = await call("store-memory/src/index.ts", "memoryStore");
      const dependencies = await call(run, "replayDependencies", store, chosen);
      const host = { harness: "bench", sessionId: `${basename(file)}#${index}` };
      const opened = await call("core/src/index.ts", "openContextSession", dependencies, host);
      const prices = { read: 0.1, write: 1.25, minimum: 0, tiers: [], caching: "explicit" };
      const options = { prices: { ...prices, source: "host" }, breakpoints: "own" };
      const calls = (await call(run, "fullRun", opened, rows, options)) as AsyncIterable<{
        readonly view: View;
      }>;
      const shown = new Set<string>();
      for await (const { view } of calls) {
        for (const [at, { type, form, turn, step, call: place }] of view.record.entries.entries()) {
          const key = `${turn}.${step}.${place}`;
          if (type !== "result" || form === "reference" || shown.has(key)) continue;
          shown.add(key);
          const message = view.messages[at];
          for (const text of textsOf(message?.content ?? "")) {
            const inside = /^[^\n]*\n(~{3,})\n([^]*)\n\1$/u.exec(text)?.[2];
            const tokens = countText(inside ?? text);
            contents += 1;
            contentTokens += tokens;
            if (inside === undefined) continue;
            withHeader += 1;
            headerTokens += countText(text) - tokens;
            if (reading.test(message?.toolName ?? "")) reads += 1;
          }
        }
      }
    }
  }
  const ofFiles = reads * (tokensOfHeader.file - tokensOfHeader.output);
  return {
    contents,
    withHeader,
    contentTokens,
    headerTokens,
    headers: rounded(headerTokens / contentTokens),
    headersOfFiles: rounded((headerTokens + ofFiles) / contentTokens),
  };
}

function textsOf(content: View["messages"][number]["content"]): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap(({ text }) => text ?? []);
}

const before = pathToFileURL(old.endsWith("/") ? old : `${old}/`).href;
report("overhead", {
  unit: "o200k tokens",
  sessions: files.length,
  request: { aim: 400, now: await requestOf(own), before: await requestOf(before) },
  headers: { aim: 0.01, now: await headersOf(own), before: await headersOf(before) },
});
