import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { runSurprise, type SurpriseModel, type SurpriseReport } from "../../src/index.ts";
import { openResults, resultKey } from "../../src/surprise/result-file.ts";
import { countingModel } from "./made-models.ts";

test("a run that continues evaluates only what is not in the file, and reports the same", async () => {
  await using folder = await temporaryFolder();
  const whole = countingModel();
  const expected = await measured(folder, whole, { calls: 6 });
  const first = countingModel();
  const second = countingModel();
  const resultsPath = join(folder.path, "results.jsonl");

  await measured(folder, first, { calls: 2, resultsPath });
  const report = await measured(folder, second, { calls: 6, resultsPath });

  expect(report).toEqual(expected);
  expect(first.prompts.length).toBeGreaterThan(0);
  expect([...first.prompts, ...second.prompts].toSorted()).toEqual(whole.prompts.toSorted());
});

test("results of another model are not used", async () => {
  await using folder = await temporaryFolder();
  const resultsPath = join(folder.path, "results.jsonl");
  const first = countingModel();
  const other = countingModel({ name: "other" });

  await measured(folder, first, { calls: 2, resultsPath });
  await measured(folder, other, { calls: 2, resultsPath });

  expect(other.prompts).toEqual(first.prompts);
});

test("lines that were cut off are ignored, however often a run was killed", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "results.jsonl");
  const place = { model: "m", session: "s", segment: 0, call: 1, view: "epoch" };

  await (await openResults(path)).add("one", { nats: -1, tokens: 2 }, place);
  await appendFile(path, '{"key":"tw');
  await (await openResults(path)).add("three", { nats: -3, tokens: 4 }, place);
  await appendFile(path, '{"key":"four","na');
  const results = await openResults(path);

  expect(results.find("one")).toMatchObject({ nats: -1, tokens: 2 });
  expect(results.find("three")).toMatchObject({ nats: -3, tokens: 4 });
  expect(results.find("four")).toBeUndefined();
});

test("a file that has something else is refused and stays as it is", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "session.jsonl");
  await writeFile(path, '{"role":"user"}\n');

  await expect(openResults(path)).rejects.toMatchObject({
    code: "RESULTS_UNREADABLE",
    message: `line 1 of ${path} is no result of scm replay --surprise; choose another file`,
  });
  expect(await readFile(path, "utf8")).toBe('{"role":"user"}\n');
});

test("the key differs where the texts are divided differently", () => {
  expect(resultKey("m", "ab", "c")).not.toBe(resultKey("m", "a", "bc"));
});

/** Measures two sessions of reads in the folder. */
async function measured(
  { path }: { readonly path: string },
  model: SurpriseModel,
  options: { readonly calls: number; readonly resultsPath?: string },
): Promise<SurpriseReport> {
  const files = ["a", "b"].map((name) => join(path, `${name}.jsonl`));
  for (const file of files) await writeFile(file, readsOf(file));
  return await runSurprise(files, model, { views: ["masking"], leastLeft: 1, ...options });
}

function readsOf(file: string): string {
  const rows = Array.from({ length: 16 }, (_, index) => [
    {
      role: "assistant",
      content: [{ type: "toolCall", id: `c${index}`, name: "read", arguments: { path: file } }],
    },
    {
      role: "toolResult",
      toolCallId: `c${index}`,
      toolName: "read",
      content: [{ type: "text", text: `w${index} `.repeat(50) }],
      isError: false,
    },
  ]).flat();
  const start = { role: "user", content: [{ type: "text", text: "go" }] };
  return [start, ...rows].map((row) => `${JSON.stringify(row)}\n`).join("");
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "scm-surprise-test-"));
  return { path, [Symbol.asyncDispose]: async () => await rm(path, { recursive: true }) };
}
