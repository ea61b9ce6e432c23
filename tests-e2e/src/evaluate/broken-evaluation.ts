import type { PiVersion } from "../pi-versions.ts";
import { type EvaluationPlace, openEvaluationPlace } from "./evaluation-command.ts";

/** The report of an evaluation that nothing disturbs. */
export async function undisturbedReport(pi: PiVersion): Promise<unknown> {
  await using place = await openEvaluationPlace({ pi });
  await wholeRun(place);
  return await place.report("out");
}

export interface BrokenEvaluation {
  /** The report after the same command has continued it. */
  readonly report: unknown;
  /** The calls that the server got from both commands, and those that the ledger has. */
  readonly calls: number;
  readonly ledger: number;
  /** The processes of the runs after the kill, and after the end. */
  readonly left: readonly string[];
  readonly processes: readonly string[];
}

/** Kills the command when the server gets the request with this index, and gives the command again. */
export async function brokenReport(pi: PiVersion, at: number): Promise<BrokenEvaluation> {
  await using place = await openEvaluationPlace({ pi });
  const command = place.startRun("out");
  await place.model.received(at);
  command.process.kill("SIGKILL");
  await command.ended;
  const left = place.processes("out");

  await wholeRun(place);
  return {
    report: await place.report("out"),
    calls: place.model.requests.length,
    ledger: new Set((await ledgerOf(place, "out")).map(({ call }) => call)).size,
    left,
    processes: place.processes("out"),
  };
}

async function wholeRun(place: EvaluationPlace): Promise<void> {
  const { code, stderr } = await place.startRun("out").ended;
  if (code !== 0) throw new Error(`the command ended with ${code}: ${stderr}`);
}

interface LedgerLine {
  readonly call: string;
  readonly bound?: number;
  readonly dollars?: number;
}

/** The lines of the ledger of results. */
export async function ledgerOf(
  place: Pick<EvaluationPlace, "filesIn" | "folder">,
  results: string,
): Promise<readonly LedgerLine[]> {
  const files = await place.filesIn(results);
  const text = [...files].find(([path]) => path.endsWith("spent.jsonl"))?.[1] ?? "";
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): LedgerLine => JSON.parse(line));
}
