import type { WireRequest } from "../wire-request.ts";

/** What one call sent of messages, and what of it a prefix cache could have kept. */
export interface SentMessages {
  readonly bytes: number;
  /** At the beginning, equal to the call before. */
  readonly cached: number;
}

/** What a call's request shows, by the pool that each message belongs to. */
export interface CallReport {
  readonly number: number;
  readonly managed: SentMessages;
  readonly plain: SentMessages;
  /** Bytes by pool. */
  readonly metadata: number;
  readonly chat: number;
  readonly active: number;
  readonly activeHandles: readonly string[];
  readonly pinnedHandles: readonly string[];
}

/** Reads a request as it went over the wire; `hostMessages` are what plain Pi would have sent in its place. */
export function callReport(
  request: WireRequest,
  hostMessages: readonly unknown[],
  previous: { readonly managed: string; readonly plain: string },
): { readonly report: CallReport; readonly managed: string; readonly plain: string } {
  const messages = request.messages.filter(({ role }) => role !== "system" && role !== "developer");
  const first = messages[0]?.text.startsWith("Known objects:") === true ? 1 : 0;
  const tail = messages.at(-1)?.text ?? "";
  const sets = /(?:^|\n)Active: ([^.]*)\.(?: Pinned: ([^.]*)\.)?$/u.exec(tail);
  const sizes = messages.map(({ raw }) => bytesOf(JSON.stringify(raw)));
  const metadata = first === 1 ? (sizes[0] ?? 0) : 0;
  const active = sets === null ? 0 : (sizes.at(-1) ?? 0);
  const managed = messages.map(({ raw }) => JSON.stringify(raw)).join("");
  const plain = hostMessages.flatMap(wireForm).join("");
  const report: CallReport = {
    number: request.index + 1,
    managed: { bytes: bytesOf(managed), cached: sharedBytes(previous.managed, managed) },
    plain: { bytes: bytesOf(plain), cached: sharedBytes(previous.plain, plain) },
    metadata,
    chat: sizes.reduce((sum, size) => sum + size, 0) - metadata - active,
    active,
    activeHandles: sets?.[1]?.split(" ") ?? [],
    pinnedHandles: sets?.[2]?.split(" ") ?? [],
  };
  return { report, managed, plain };
}

/** What stands above the lines of the calls. */
export const callHeader: string = [
  "          managed context                                     plain Pi",
  "        sent    new   known   chat  active                  sent    new",
  "          kB     kB  tokens tokens  tokens  active objects    kB     kB   what the model does then",
].join("\n");

/** The line that is printed for a call. */
export function callLine(report: CallReport, did: string): string {
  const { managed, plain } = report;
  const pinned =
    report.pinnedHandles.length === 0 ? "" : `, ${report.pinnedHandles.join(" ")} pinned`;
  return [
    `call ${report.number}`.padEnd(7),
    sent(managed),
    tokens(report.metadata).padStart(8),
    tokens(report.chat).padStart(7),
    tokens(report.active).padStart(8),
    `  ${report.activeHandles.length}${pinned}`.padEnd(15),
    sent(plain),
    `   ${did}`.slice(0, 34),
  ].join("");
}

function sent({ bytes, cached }: SentMessages): string {
  return `${kilo(bytes).padStart(5)}${kilo(bytes - cached).padStart(7)}`;
}

/** Bytes to tokens by four, the usual rule of thumb; it is the same on both sides. */
function tokens(bytes: number): string {
  return String(Math.round(bytes / 4));
}

function kilo(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function sharedBytes(earlier: string, later: string): number {
  let index = 0;
  while (index < earlier.length && earlier[index] === later[index]) index += 1;
  return bytesOf(later.slice(0, index));
}

/** A message of Pi's as it goes to an OpenAI-compatible provider. */
function wireForm(message: unknown): string[] {
  if (!isFields(message)) return [];
  const { role, content } = message;
  if (role === "user") return [JSON.stringify({ role, content: textIn(content) })];
  if (role === "toolResult") {
    const id = message["toolCallId"];
    return [JSON.stringify({ role: "tool", content: textIn(content), tool_call_id: id })];
  }
  if (role !== "assistant" || !Array.isArray(content)) return [];
  const calls = content.filter(isFields).filter(({ type }) => type === "toolCall");
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const text = textIn(content);
  return [
    JSON.stringify({
      role,
      content: text === "" ? null : text,
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    }),
  ];
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isFields)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n");
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
