import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { run } from "./temporary-store.ts";

test("replays sessions and shows in words and tables what they would have cost", async () => {
  const quotation = wordsOf(11).slice(0, 20).join(" ");
  await using folder = await folderOf({ "one.jsonl": session(12, quotation) });

  const { code, stdout } = await run(["replay", folder.path, "--threads", "1"]);

  expect(code).toBe(0);
  expect(stdout).toContain("1 session, 13 model calls");
  expect(stdout).toContain("With the context manager: ");
  expect(stdout.replaceAll(/\s+/gu, " ")).toContain(
    "a tool's output: 1. Of these, 0.0% quote text",
  );
  expect(stdout).toMatch(
    /^profile A +cost +charged +range +\+talk +miss +miss\+ +sharp +sharp\+ +talk +t-sharp +8-grams /mu,
  );
  expect(stdout).toMatch(
    /^append-only +1\.000 +1\.000 +1\.000 +1\.000( +0\.0%){4}( +-){2} +0\.0% /mu,
  );
  for (const name of ["masking-batched", "compaction", "pooled", "epoch", "bound"])
    expect(stdout).toMatch(new RegExp(`^${name} +\\d`, "mu"));
});

test("shows a dash for the share of missed messages if no message quotes anything", async () => {
  await using folder = await folderOf({ "one.jsonl": session(12) });

  const { stdout } = await run(["replay", folder.path, "--threads", "1"]);

  expect(stdout.replaceAll(/\s+/gu, " ")).toContain("No message quotes a tool's output.");
  expect(stdout).toMatch(/^masking +[\d. ]+( +-){4}( +\S+){2} +- /mu);
});

test("--json prints one object with every profile and strategy", async () => {
  await using folder = await folderOf({ "one.jsonl": session(24), "two.jsonl": session(4) });

  const { stdout } = await run(["replay", folder.path, "--json", "--threads", "2"]);

  const report = JSON.parse(stdout) as Record<string, Record<string, Record<string, unknown>>>;
  expect(Object.keys(report)).toEqual(["corpus", "profiles", "time", "store"]);
  expect(report["corpus"]).toMatchObject({ sessions: 2, segments: 2, calls: 30 });
  expect(Object.keys(report["profiles"] ?? {})).toEqual([
    "A",
    "A1",
    "B",
    "C",
    "D",
    "E",
    "F",
    "G",
    "N",
    "A-host",
  ]);
  expect(Object.keys(report["profiles"]?.["A"]?.["epoch"] ?? {})).toEqual([
    "costRatio",
    "chargedCostRatio",
    "chargedByRangeRatio",
    "chargedWithTalkRatio",
    "evidenceMiss",
    "evidenceMissPlus",
    "sharpMiss",
    "sharpMissPlus",
    "gramMiss",
    "talkMiss",
    "talkSharpMiss",
    "counted",
    "prefixHit",
    "meanTokens",
    "peakTokens",
    "epochs",
    "median",
    "worst",
  ]);
  expect(report["profiles"]?.["A"]?.["masking"]).toMatchObject({ worst: { session: "one" } });
  expect(Object.keys(report["time"] ?? {})).toEqual(["p50", "p95", "max"]);
  expect(Object.keys(report["store"] ?? {})).toEqual(["kind", "bytes", "transcriptBytes", "ratio"]);
});

test("--plot draws a picture over an old one, and damaged lines are reported and skipped", async () => {
  await using folder = await folderOf({
    "one.jsonl": `${session(6)}{"role":\n`,
    "out.svg": "<svg></svg>",
  });
  const file = join(folder.path, "out.svg");

  const { code, stderr } = await run(["replay", folder.path, "--plot", file, "--threads", "1"]);

  expect(code).toBe(0);
  expect(stderr).toContain(`${join(folder.path, "one.jsonl")} line 15 skipped: `);
  expect(stderr).toContain(`wrote the drawing to ${file}`);
  const drawn = await readFile(file, "utf8");
  expect(drawn).toMatch(/^<svg .*<\/svg>\n$/su);
  expect(drawn.length).toBeGreaterThan(1_000);
  expect(drawn).not.toContain("NaN");
});

test("--html writes a page over an old one, and over nothing else", async () => {
  await using folder = await folderOf({
    "one.jsonl": session(6),
    "out.html": "<!doctype html>an earlier one",
  });
  const [recording, file] = [join(folder.path, "one.jsonl"), join(folder.path, "out.html")];

  const { code, stderr } = await run(["replay", recording, "--html", file, "--threads", "1"]);
  const over = await run(["replay", recording, "--html", recording, "--threads", "1"]);
  const surprised = await run(["replay", recording, "--html", file, "--surprise"]);

  expect(code).toBe(0);
  expect(stderr).toContain(`wrote the page to ${file}`);
  const page = await readFile(file, "utf8");
  expect(page).toMatch(/^<!doctype html>/u);
  expect(page).toContain("Replay of 1 recorded session");
  expect(page).not.toContain("an earlier one");
  expect(over).toMatchObject({ code: 2, stdout: "" });
  expect(over.stderr).toContain(`${recording} exists and is not a page`);
  expect(await readFile(recording, "utf8")).toBe(session(6));
  expect(surprised.stderr).toContain("--html draws costs, which --surprise does not measure");
});

test("missing files, empty files and wrong options are reported", async () => {
  await using folder = await folderOf({ "empty.jsonl": "" });
  const missing = join(folder.path, "missing");

  const gone = await run(["replay", missing]);
  const empty = await run(["replay", folder.path, "--threads", "1"]);
  const threads = await run(["replay", folder.path, "--threads", "many"]);

  expect(gone).toMatchObject({ code: 1, stdout: "" });
  expect(gone.stderr).toContain(`${missing} cannot be read`);
  expect(empty).toMatchObject({ code: 1, stdout: "" });
  expect(empty.stderr).toContain("the file contains no session with at least two model calls");
  expect(threads).toMatchObject({ code: 2 });
  expect(threads.stderr).toContain('--threads is "many"; it must be a whole number from 1 to 256');
});

test("a missing file beside others is reported, and the command fails", async () => {
  await using folder = await folderOf({ "a.jsonl": session(2) });
  const missing = join(folder.path, "missing.jsonl");

  const result = await run(["replay", join(folder.path, "a.jsonl"), missing, "--threads", "1"]);

  expect(result.code).toBe(1);
  expect(result.stdout).toContain("Without a context manager");
  expect(result.stderr).toContain(`${missing} cannot be read`);
});

test("--plot overwrites no file that is not a drawing, and reports a place that cannot be written", async () => {
  await using folder = await folderOf({ "a.jsonl": session(2) });
  const recording = join(folder.path, "a.jsonl");
  const plotInto = async (file: string) =>
    await run(["replay", recording, "--plot", file, "--threads", "1"]);

  const overRecording = await plotInto(recording);
  const nowhere = await plotInto(join(folder.path, "none", "plot.svg"));

  expect(overRecording).toMatchObject({ code: 2, stdout: "" });
  expect(overRecording.stderr).toContain(`${recording} exists and is not an SVG`);
  expect(await readFile(recording, "utf8")).toBe(session(2));
  expect(nowhere).toMatchObject({ code: 1, stdout: "" });
  expect(nowhere.stderr).toContain("cannot be written");
});

/** Returns the words of a file that a session reads. */
function wordsOf(index: number): readonly string[] {
  return Array.from({ length: 200 }, (_, word) => `w${index}x${word}`);
}

/** A session in the neutral format, in which each call reads a file, and the last answer is this text. */
function session(reads: number, answer = "done"): string {
  const rows: unknown[] = [{ role: "user", content: [{ type: "text", text: "read them" }] }];
  for (let index = 0; index < reads; index += 1) {
    const text = wordsOf(index).join(" ");
    const call = {
      type: "toolCall",
      id: `c${index}`,
      name: "read",
      arguments: { path: `f${index}` },
    };
    rows.push({ role: "assistant", content: [call] });
    rows.push({
      role: "toolResult",
      toolCallId: `c${index}`,
      toolName: "read",
      content: [{ type: "text", text }],
      isError: false,
    });
  }
  rows.push({ role: "assistant", content: [{ type: "text", text: answer }] });
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

async function folderOf(files: Readonly<Record<string, string>>) {
  const path = await mkdtemp(join(tmpdir(), "scm-replay-test-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return {
    path,
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }),
  };
}
