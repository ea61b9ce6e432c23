import { defined } from "@self-context-manager/objects";
import { jsonIn } from "../meter/json-in.ts";
import type { MeteredRun } from "../meter/meter.ts";
import type { CallRecord, RunFigures, RunParts, RunRecord, RunEnd } from "../model/run-record.ts";
import type { CheckResult, Task } from "../model/task.ts";
import { textIn } from "../models/seen-request.ts";
import { hasSeenCanary } from "../tasks/canary.ts";
import { factsSeen } from "./facts-seen.ts";
import { failureOf } from "./failure-of.ts";
import { seenText } from "./seen-text.ts";
import { contextToolCounts, repeatedWork, type UsedTool, usedTools } from "./tool-use.ts";
import { type SeenCall, usedLooks } from "./used-texts.ts";

export interface MeasureRunInput {
  readonly run: { readonly key: string; readonly parts: RunParts };
  readonly task: Task;
  /** The time at which the run began, as ISO 8601. */
  readonly began: string;
  readonly played: {
    readonly end: RunEnd;
    readonly error?: string;
    readonly answers: ReadonlyMap<number, string>;
    readonly milliseconds: number;
    readonly notices: readonly string[];
  };
  readonly checks: readonly CheckResult[];
  readonly metered: Pick<MeteredRun, "calls" | "answers" | "requestBody">;
  /** What was found wrong with the store. */
  readonly faults: readonly string[];
}

/** Returns the result of a run that has ended. */
export function measureRun(input: MeasureRunInput): RunRecord {
  const { run, task, began, played, checks, metered, faults } = input;
  const { calls } = metered;
  const seen = calls.map(({ number, step }, index): SeenCall => {
    const answer = metered.answers[index];
    const said = [
      answer?.text,
      ...(answer?.toolCalls ?? []).map((one) => textIn(jsonIn(one.arguments))),
    ];
    return { step, request: seenText(metered.requestBody(number)), answer: said.join("\n") };
  });
  const tools = usedTools(
    calls.map(({ step }, index) => ({
      step,
      answer: metered.answers[index] ?? { text: "", toolCalls: [] },
    })),
  );
  const facts = factsSeen(task, seen);
  const { end, error, answers } = played;
  const failure = failureOf({
    task,
    end,
    checks,
    facts,
    tools,
    answers,
    ...defined({ error }),
  });
  return {
    ...run.parts,
    key: run.key,
    family: task.family,
    began,
    end,
    isSolved: failure === undefined && end === "finished",
    checks,
    ...defined({ failure }),
    figures: figuresOf(input, { seen, tools }),
    facts,
    ...(played.notices.length === 0 ? {} : { notices: played.notices }),
    faults: [...faults, ...reachedChecker(task, seen)],
  };
}

function reachedChecker(task: Task, seen: readonly SeenCall[]): readonly string[] {
  return seen.some(({ request }) => hasSeenCanary(task, request))
    ? ["a request contains the canary of the hidden files: the agent reached the checker"]
    : [];
}

function figuresOf(
  { task, played, metered }: MeasureRunInput,
  { seen, tools }: { readonly seen: readonly SeenCall[]; readonly tools: readonly UsedTool[] },
): RunFigures {
  const { calls } = metered;
  const dollars = calls.map((call) => call.dollars);
  // One call whose cost is unknown makes the sum unknown. With known prices, a refused call costs 0.
  const isPriced = dollars.every((one) => one !== undefined);
  return {
    input: sum(calls, (usage) => usage.input),
    cacheRead: sum(calls, (usage) => usage.cacheRead),
    cacheWrite: sum(calls, (usage) => usage.cacheWrite),
    output: sum(calls, (usage) => usage.output),
    ...(isPriced ? { dollars: dollars.reduce<number>((all, one) => all + (one ?? 0), 0) } : {}),
    calls: calls.length,
    turns: played.answers.size,
    seconds: Math.round(played.milliseconds / 100) / 10,
    peakInput: Math.max(0, ...calls.map(({ usage }) => inputOf(usage))),
    overWindow: calls.filter(({ isOverWindow }) => isOverWindow === true).length,
    ...repeatedWork(tools, task),
    contextTools: contextToolCounts(tools),
    contextToolsUsed: usedLooks(task, seen, tools),
  };
}

type Usage = NonNullable<CallRecord["usage"]>;

function sum(calls: readonly CallRecord[], of: (usage: Usage) => number): number {
  return calls.reduce((all, { usage }) => all + (usage === undefined ? 0 : of(usage)), 0);
}

function inputOf(usage: Usage | undefined): number {
  return usage === undefined ? 0 : usage.input + usage.cacheRead + usage.cacheWrite;
}
