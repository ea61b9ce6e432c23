import type { BilledPrompt } from "../caching/prefix-cache.ts";
import type { Prices } from "../caching/priced-run.ts";
import { unitsOf } from "../caching/priced-run.ts";
import type { Reply } from "../loopback-reply.ts";

/** One call of the managed session, and the same of plain Pi's, as far as it makes it. */
export interface CallReport {
  readonly number: number;
  readonly managed: BilledPrompt;
  readonly plain: BilledPrompt | undefined;
  /** What the extension says of itself in Pi's status line. */
  readonly status: string;
}

/** What stands above the lines of the calls. */
export const callHeader: string = [
  "Tokens in thousands, as the server counts them: sent in all, new to its cache, and what the call cost in tokens",
  "of uncached input. Objects: active of all. Where plain Pi has no such call, it has a -.\n",
  "          managed context        plain Pi",
  "          sent    new   cost     sent   cost   objects   what the model does then",
].join("\n");

/** The line that is printed for a call. */
export function callLine(report: CallReport, reply: Reply, prices: Prices): string {
  const { managed, plain, status } = report;
  const active = /ctx (\d+\/\d+) active/u.exec(status)?.[1] ?? "";
  return [
    `call ${report.number}`.padEnd(8),
    kilo(promptOf(managed)).padStart(6),
    kilo(managed.input + managed.written).padStart(7),
    kilo(unitsOf([managed], prices)).padStart(7),
    (plain === undefined ? "-" : kilo(promptOf(plain))).padStart(9),
    (plain === undefined ? "-" : kilo(unitsOf([plain], prices))).padStart(7),
    active.padStart(10),
    `   ${said(reply)}`.slice(0, 44),
  ].join("");
}

/** What both sessions were billed, by name. */
export function billLines(
  managed: readonly BilledPrompt[],
  plain: readonly BilledPrompt[],
  prices: Prices,
): readonly string[] {
  const [ours, theirs] = [unitsOf(managed, prices), unitsOf(plain, prices)];
  const percent = Math.round((1 - ours / theirs) * 100);
  const compared = percent >= 0 ? `${percent} % less` : `${-percent} % more`;
  return [
    `Billed by Anthropic's rules as this server simulates them (reading from the cache ${prices.read}, writing to it ${prices.write}`,
    "of uncached input; breakpoints, 20 blocks, 1,024 tokens, 5 minutes), in thousands of tokens of uncached input:",
    `  plain Pi         ${kilo(theirs).padStart(7)}  in ${plain.length} calls, the last of ${kilo(promptOf(plain.at(-1)))}`,
    `  managed context  ${kilo(ours).padStart(7)}  in ${managed.length} calls, the last of ${kilo(promptOf(managed.at(-1)))}: ${compared}`,
    "Tokens are counted as bytes by four, with system prompt and tool declarations; output is not counted.",
  ];
}

function said(reply: Reply): string {
  if (reply.type !== "tool-calls") return "answers";
  return reply.calls.map(({ name, arguments: args }) => `${name} ${shown(args)}`).join(", ");
}

function shown(args: Readonly<Record<string, unknown>>): string {
  const [first] = Object.values(args);
  return typeof first === "string" ? first.slice(0, 28) : "";
}

function promptOf(prompt: BilledPrompt | undefined): number {
  return prompt === undefined ? 0 : prompt.input + prompt.read + prompt.written;
}

function kilo(tokens: number): string {
  return (tokens / 1000).toFixed(1);
}
