import { strategyNames } from "../strategies/strategies.ts";
import type { ReplayReport, StrategyReport } from "./replay-report.ts";

/** A report in words and tables, for a terminal. */
export function replayText(report: ReplayReport): string {
  return [words(report), strategyTable(report), profileTable(report), legend].join("\n\n");
}

function words({ corpus, plainCost, profiles, time, store }: ReplayReport): string {
  const { epoch } = profiles["A"] ?? {};
  const head = `${amount(corpus.sessions, "session")}, ${amount(corpus.calls, "model call")}, ${short(corpus.tokens)} tokens of messages.`;
  if (epoch === undefined) return head;
  const fetched = `if the model fetches each text that it quotes and could not see`;
  const isAsIs = short(plainCost * epoch.costRatio) === short(plainCost * epoch.chargedCostRatio);
  const would = isAsIs
    ? `${costs(plainCost, epoch.costRatio)}, also ${fetched}`
    : `${costs(plainCost, epoch.costRatio)}; ${costs(plainCost, epoch.chargedCostRatio)}, ${fetched}`;
  const { evidenceMiss: quoting } = epoch.counted;
  const missed =
    quoting === 0
      ? "No message quotes a tool's output."
      : `Messages that quote a tool's output: ${quoting}. Of these, ${percent(epoch.evidenceMiss)} quote text that was not in view.`;
  return [
    head,
    `Without a context manager, at Anthropic's usual prices (profile A): with all messages unchanged, the calls are billed like ${short(plainCost)} input tokens. This is counted from the messages, with 4k tokens for system prompt and tools. The recorded usage and the recorded model are not used.`,
    `With the context manager: ${would}. ${missed} A prompt has ${short(epoch.meanTokens)} tokens on average, instead of ${short(profiles["A"]?.["append-only"].meanTokens ?? 0)}.`,
    `Ingesting and laying out took ${time.p50.toFixed(1)} ms a call (median), ${time.p95.toFixed(1)} at the 95th percentile; the store has ${store.ratio.toFixed(2)} times the bytes of the sessions.`,
  ]
    .map(wrapped)
    .join("\n");
}

/** A multiple of the plain cost, and its difference from the plain cost. */
function costs(plainCost: number, ratio: number): string {
  return `${short(plainCost * ratio)}, ${change(ratio)}`;
}

const lineLength = 110;

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= lineLength) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

const columns: readonly (readonly [string, (report: StrategyReport) => string])[] = [
  ["cost", ({ costRatio }) => costRatio.toFixed(3)],
  ["charged", ({ chargedCostRatio }) => chargedCostRatio.toFixed(3)],
  ["range", ({ chargedByRangeRatio }) => chargedByRangeRatio.toFixed(3)],
  ["+talk", ({ chargedWithTalkRatio }) => chargedWithTalkRatio.toFixed(3)],
  ["miss", (report) => missShare(report, "evidenceMiss")],
  ["miss+", (report) => missShare(report, "evidenceMissPlus")],
  ["sharp", (report) => missShare(report, "sharpMiss")],
  ["sharp+", (report) => missShare(report, "sharpMissPlus")],
  ["talk", (report) => missShare(report, "talkMiss")],
  ["t-sharp", (report) => missShare(report, "talkSharpMiss")],
  ["8-grams", (report) => missShare(report, "gramMiss")],
  ["mean", ({ meanTokens }) => short(meanTokens)],
  ["peak", ({ peakTokens }) => short(peakTokens)],
  ["epochs", ({ epochs }) => epochs.toFixed(1)],
  ["hit", ({ prefixHit }) => percent(prefixHit)],
  ["median", ({ median }) => median.toFixed(2)],
  ["worst", ({ worst }) => worst?.costRatio.toFixed(2) ?? "-"],
];

/** Returns a share of missed messages or 8-grams; a dash if there are none. */
function missShare(report: StrategyReport, name: keyof StrategyReport["counted"]): string {
  return report.counted[name] === 0 ? "-" : percent(report[name]);
}

function strategyTable({ profiles }: ReplayReport): string {
  const reports = profiles["A"];
  if (reports === undefined) return "";
  return table([
    ["profile A", ...columns.map(([name]) => name)],
    ...strategyNames.flatMap((name) => {
      const report = reports[name];
      return report === undefined ? [] : [[name, ...columns.map(([, show]) => show(report))]];
    }),
  ]);
}

function profileTable({ profiles }: ReplayReport): string {
  const names = Object.keys(profiles);
  return table([
    ["cost", ...names],
    ...strategyNames.map((strategy) => [
      strategy,
      ...names.map((name) => profiles[name]?.[strategy]?.costRatio.toFixed(3) ?? "-"),
    ]),
  ]);
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  "),
    )
    .join("\n");
}

const legend = `cost: billed input divided by that of append-only; charged: the same if the model asks for missed evidence;
range: the same if it asks only for the lines around it; +talk: charged, and it also asks for arguments, answers and
thinking that it quotes and could not see; talk: messages that quote such talk which was not in view, of all that quote
talk, and t-sharp: the same, counting only sharp quotations; miss: messages that quote tool output which was not in view, of
all messages that quote tool output; miss+: the same, with large arguments of writes and edits counted as output; sharp,
sharp+: the same, counting only quotations of 12 words and text that must match exactly, and no paths; 8-grams: quoted
runs of eight words that were not in view, of all quoted runs; mean and peak: tokens of a prompt; hit: input from the
cache; median, worst: the cost of the middle session, and of the most expensive one with at least 20 calls. bound knows
the future. docs/guide/replay.md defines all.
Profiles by write and read price: A 1.25/0.10, A1 2/0.10, B 1.25/0.05, C 1.25/0.025, D 1/0.10, E 1/0.25, F 1/0.50,
G 1/0.02, N no cache; A-host: the host's breakpoints for every strategy. The cache is that of the provider: with its
breakpoints, its steps and its lifetime, by the recorded times.`;

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function change(ratio: number): string {
  const percents = Math.round(Math.abs(1 - ratio) * 100);
  if (percents === 0) return "the same";
  return ratio < 1 ? `${percents} % less` : `${percents} % more`;
}

function short(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)}M`;
  return tokens >= 1000 ? `${(tokens / 1000).toFixed(1)}k` : String(Math.round(tokens));
}

function amount(count: number, what: string): string {
  return `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
}
