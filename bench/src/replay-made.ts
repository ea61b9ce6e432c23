// What do made sessions with pauses cost, compared with sessions that keep every output?
//
// The sessions come from a seed, so two runs differ only if the code does. Run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/bench replay-made
import { replayReport, runReplay } from "@self-context-manager/replay";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { report } from "./report.ts";

const seeds = process.env["SCM_BENCH"] === "quick" ? [1] : [1, 2, 3, 4];
const callsOfSession = 70;
const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
try {
  const files = await Promise.all(
    seeds.map(async (seed) => {
      const file = join(folder, `${seed}.jsonl`);
      await writeFile(
        file,
        madeSession(seed)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(""),
      );
      return file;
    }),
  );
  const outcomes = await runReplay(files);
  const sessions = outcomes.flatMap((one) =>
    "figures" in one && one.figures !== undefined ? [one.figures] : [],
  );
  if (sessions.length !== seeds.length) throw new Error("a session was not measured");
  const { profiles, corpus } = replayReport(sessions);
  const { A, D } = profiles;
  report("replay-made", { ...corpus, A: named(A), D: named(D) });
} finally {
  await rm(folder, { recursive: true, force: true });
}

function named(
  strategies: ReturnType<typeof replayReport>["profiles"][string] | undefined,
): object {
  return Object.fromEntries(
    Object.entries(strategies ?? {}).map(
      ([name, { costRatio, chargedCostRatio, evidenceMissPlus }]) => [
        name,
        { costRatio, chargedCostRatio, evidenceMissPlus },
      ],
    ),
  );
}

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * A session in the neutral format: turns of reads and commands, answers that quote what was read some calls before, and
 * pauses between turns of which one in four is longer than a cache entry lives.
 */
function madeSession(seed: number): readonly object[] {
  const random = randomFrom(seed);
  const rows: object[] = [];
  const outputs: string[] = [];
  let time = 1_700_000_000_000;
  const text = (words: number, name: string): string =>
    Array.from(
      { length: words },
      (_, at) => `${name}w${Math.floor(random() * 5000)}${at % 12 === 11 ? "\n" : " "}`,
    ).join("");
  for (let call = 0; call < callsOfSession; call += 1) {
    if (call % 9 === 0) {
      time += random() < 0.25 ? 600_000 : 40_000;
      rows.push({
        role: "user",
        content: [{ type: "text", text: `part ${call}: ${text(20, "u")}` }],
        timestamp: time,
      });
    }
    time += 8000;
    const back = outputs[outputs.length - 1 - Math.floor(random() ** 3 * outputs.length)] ?? "";
    const at = Math.floor(random() * 20) * 10;
    const quoted =
      random() < 0.3
        ? back
            .split(/\s+/u)
            .slice(at, at + 14)
            .join(" ")
        : "I look further.";
    const id = `c${call}`;
    const isRead = random() < 0.6;
    const made = isRead
      ? {
          type: "toolCall",
          id,
          name: "read",
          arguments: { path: `src/part${Math.floor(random() * 25)}.ts` },
        }
      : { type: "toolCall", id, name: "bash", arguments: { command: `check ${call}` } };
    rows.push({
      role: "assistant",
      content: [{ type: "text", text: quoted }, made],
      timestamp: time,
    });
    const output = text(60 + Math.floor(random() ** 2 * 700), `o${call}`);
    outputs.push(output);
    rows.push({
      role: "toolResult",
      toolCallId: id,
      toolName: isRead ? "read" : "bash",
      content: [{ type: "text", text: output }],
      isError: false,
      timestamp: time,
    });
  }
  rows.push({
    role: "assistant",
    content: [{ type: "text", text: "All parts are done." }],
    timestamp: time + 8000,
  });
  return rows;
}
