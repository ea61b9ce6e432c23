import type { BilledPrompt, Reply } from "@self-context-manager/evaluate/loopback";

import type { Prices } from "../caching/priced-run.ts";
import { unitsOf } from "../caching/priced-run.ts";

/** The host of a demo, as its report names it. */
export interface ReportedHost {
  readonly name: string;
  /** Whether the host shows the number of active objects. Otherwise the table has no column for it. */
  readonly showsObjects: boolean;
}

/** One call of the managed session, and the same call in the plain host if the plain host makes it. */
export interface CallReport {
  readonly number: number;
  readonly managed: BilledPrompt;
  readonly plain: BilledPrompt | undefined;
  /** The text of the context manager in the host's status line. */
  readonly status: string;
}

/** Returns the text that is printed above the lines of the calls. */
export function callHeader({ name, showsObjects }: ReportedHost): string {
  const plain = `plain ${name}`;
  return [
    "Tokens in thousands, as the server counts them: all sent tokens, those new to its cache, and the call's cost in tokens",
    `of uncached input. ${showsObjects ? "Objects: active of all. " : ""}A - marks a call that ${plain} does not make.\n`,
    `          managed context        ${plain}`,
    `          sent    new   cost     sent   cost${showsObjects ? "   objects" : ""}   the model's answer`,
  ].join("\n");
}

/** Returns the line that is printed for a call. */
export function callLine(
  { showsObjects }: ReportedHost,
  report: CallReport,
  reply: Reply,
  prices: Prices,
): string {
  const { managed, plain, status } = report;
  const active = /ctx (\d+\/\d+) active/u.exec(status)?.[1] ?? "";
  return [
    `call ${report.number}`.padEnd(8),
    kilo(promptOf(managed)).padStart(6),
    kilo(managed.input + managed.written).padStart(7),
    kilo(unitsOf([managed], prices)).padStart(7),
    (plain === undefined ? "-" : kilo(promptOf(plain))).padStart(9),
    (plain === undefined ? "-" : kilo(unitsOf([plain], prices))).padStart(7),
    showsObjects ? active.padStart(10) : "",
    `   ${said(reply)}`.slice(0, 44),
  ].join("");
}

/** Returns the lines with the bills of both sessions. */
export function billLines(
  { name }: ReportedHost,
  managed: readonly BilledPrompt[],
  plain: readonly BilledPrompt[],
  prices: Prices,
): readonly string[] {
  const [managedUnits, plainUnits] = [unitsOf(managed, prices), unitsOf(plain, prices)];
  const [plainName, managedName] = [`plain ${name}`, "managed context"];
  const width = Math.max(plainName.length, managedName.length) + 2;
  const percent = Math.round((1 - managedUnits / plainUnits) * 100);
  const compared = percent >= 0 ? `${percent} % less` : `${-percent} % more`;
  return [
    `Billed by Anthropic's rules as this server simulates them (reading from the cache ${prices.read}, writing to it ${prices.write}`,
    "of uncached input; breakpoints, 20 blocks, 1,024 tokens, 5 minutes), in thousands of tokens of uncached input:",
    `  ${plainName.padEnd(width)}${kilo(plainUnits).padStart(7)}  in ${plain.length} calls, the last of ${kilo(promptOf(plain.at(-1)))}`,
    `  ${managedName.padEnd(width)}${kilo(managedUnits).padStart(7)}  in ${managed.length} calls, the last of ${kilo(promptOf(managed.at(-1)))}: ${compared}`,
    "A token is counted for four bytes, including system prompt and tool declarations. Output is not counted.",
  ];
}

function said(reply: Reply): string {
  if (reply.type !== "tool-calls") return "answers";
  return reply.calls.map(({ name, arguments: args }) => `${name} ${shown(args)}`).join(", ");
}

function shown(args: unknown): string {
  const [first] = Object.values(args ?? {});
  return typeof first === "string" ? first.slice(0, 28) : "";
}

function promptOf(prompt: BilledPrompt | undefined): number {
  return prompt === undefined ? 0 : prompt.input + prompt.read + prompt.written;
}

function kilo(tokens: number): string {
  return (tokens / 1000).toFixed(1);
}
