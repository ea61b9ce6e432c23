import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { run } from "./temporary-store.ts";

test("--surprise prints how much more surprising a quotation is without the output that it is from", async () => {
  await using place = await recorded();
  await using server = await wordServer();

  const { code, stdout } = await run([...place.surprise(server.url), "--calls", "40"]);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^masking +all +4 +2 +\+0\.500 +- +50%$/mu);
  // The server says that a word costs 1 nat more if the prompt does not contain it.
  expect(stdout).toMatch(/quotes: gone-sharp +2 +2 +\+1\.000 /u);
  expect(stdout).toContain("4 calls of 2 sessions");
  expect(stdout).toContain("fewer than asked for");
});

test("--json has the same figures, and --surprise-out continues without asking the server again", async () => {
  await using place = await recorded();
  await using server = await wordServer();
  const out = ["--surprise-out", join(place.path, "results.jsonl"), "--json"];

  const first = await run([...place.surprise(server.url), "--calls", "2", ...out]);
  const asked = server.count();
  const again = await run([...place.surprise(server.url), "--calls", "2", ...out]);

  const report = JSON.parse(first.stdout) as Record<string, unknown>;
  expect(report).toMatchObject({
    model: `words@${server.url}`,
    window: 5000,
    seed: 1,
    isComplete: true,
    measured: { calls: 2, sessions: 2 },
  });
  expect(asked).toBe(4);
  expect(again.stdout).toBe(first.stdout);
  expect(server.count()).toBe(asked);
  expect((await readFile(join(place.path, "results.jsonl"), "utf8")).split("\n")).toHaveLength(5);
});

test("an interrupted run prints the calls that it has, and says how to continue", async () => {
  await using place = await recorded();
  const interrupted = Promise.withResolvers<undefined>();
  await using server = await wordServer((count) => {
    if (count === 3) interrupted.resolve(undefined);
  });

  const { code, stdout, stderr } = await run(
    [...place.surprise(server.url), "--calls", "6"],
    {},
    "/",
    { interruption: async () => await interrupted.promise },
  );

  expect(code).toBe(0);
  expect(stdout).toContain("Measured: 1 call");
  expect(stderr).toContain("the same command with --surprise-out continues");
  expect(server.count()).toBeLessThan(6);
});

test("wrong options and a missing model are reported before anything is measured", async () => {
  await using place = await recorded();
  const start = ["replay", place.path];

  const alone = await run([...start, "--calls", "3"]);
  const plot = await run([...start, "--surprise", "--plot", "a.svg"]);
  const none = await run([...start, "--surprise"]);
  const view = await run([...place.surprise("http://127.0.0.1:1/v1"), "--surprise-views", "bound"]);
  const url = await run([...start, "--surprise", "--surprise-url", "a", "--surprise-model", "m"]);
  const file = await run([...start, "--surprise", "--model-file", "m.gguf", "--llama", place.path]);
  const small = await run([...place.surprise("http://127.0.0.1:1/v1"), "--surprise-most", "1"]);

  expect(alone).toMatchObject({ code: 2, stdout: "" });
  expect(alone.stderr).toContain("--calls is an option of --surprise; add it");
  expect(plot.stderr).toContain("--plot draws costs, which --surprise does not measure");
  expect(none.stderr).toContain("--surprise needs a model: --model-file with a GGUF file, or");
  expect(view.stderr).toContain('--surprise-views has "bound"; the views are epoch, ');
  expect(url.stderr).toContain('--surprise-url is "a"; it must be a URL');
  expect(file).toMatchObject({ code: 1, stdout: "" });
  expect(file.stderr).toContain("npm install --prefix FOLDER node-llama-cpp@3.21.1");
  expect(small).toMatchObject({ code: 1, stdout: "" });
  expect(small.stderr).toContain("calls can be measured: ");
});

interface Recorded extends AsyncDisposable {
  readonly path: string;
  /** The command without options of its own. */
  surprise(url: string): readonly string[];
}

const settings = [
  "--surprise-model=words",
  "--surprise-window=5000",
  "--surprise-views=masking",
  "--surprise-left=1",
];

/** A folder with two sessions of 13 calls; the last call quotes the first output. */
async function recorded(): Promise<Recorded> {
  const path = await mkdtemp(join(tmpdir(), "scm-surprise-test-"));
  for (const name of ["one", "two"]) await writeFile(join(path, `${name}.jsonl`), session(name));
  return {
    path,
    surprise: (url) => ["replay", path, "--surprise", "--surprise-url", url, ...settings],
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true }),
  };
}

function session(name: string): string {
  const words = (read: number): string =>
    Array.from({ length: 60 }, (_, index) => `${name}r${read}x${index}`).join(" ");
  const reads = Array.from({ length: 12 }, (_, index) => [
    {
      role: "assistant",
      content: [
        { type: "toolCall", id: `c${index}`, name: "read", arguments: { path: `f${index}` } },
      ],
    },
    {
      role: "toolResult",
      toolCallId: `c${index}`,
      toolName: "read",
      content: [{ type: "text", text: words(index) }],
      isError: false,
    },
  ]);
  const rows = [
    { role: "user", content: [{ type: "text", text: "go" }] },
    ...reads.flat(),
    { role: "assistant", content: [{ type: "text", text: words(0) }] },
  ];
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** A model of words: those that were in the prompt before are more probable. */
async function wordServer(
  onRequest: (count: number) => void = () => {},
): Promise<AsyncDisposable & { readonly url: string; count(): number }> {
  let count = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      count += 1;
      onRequest(count);
      const { prompt } = JSON.parse(text) as { readonly prompt: string };
      const tokens = prompt.split(/(?<=\n)|(?= )/u);
      const seen = new Set<string>();
      const logprobs = tokens.map((token) => {
        const isKnown = seen.has(token.trim());
        seen.add(token.trim());
        return isKnown ? -1 : -2;
      });
      response.end(
        JSON.stringify({
          choices: [{ logprobs: { tokens: [...tokens, "x"], token_logprobs: [...logprobs, -9] } }],
          usage: { completion_tokens: 1 },
        }),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    count: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
