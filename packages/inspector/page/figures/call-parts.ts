import type { PartKind, SessionTimeline, TimelinePart } from "@self-context-manager/core/inspect";

/** The kinds of the stack: those of the timeline, and what the host sends before the messages. */
export type StackKind = PartKind | "host";

/** The order of kinds in the stack, from the bottom. */
export const stackKinds: readonly StackKind[] = [
  "host",
  "system",
  "messages",
  "user",
  "answers",
  "file",
  "toolcall",
  "other",
  "lines",
];

/** A part of a call with its tokens, as many as the provider would count. `part` is undefined for the host's. */
export interface CallPart {
  readonly part?: number;
  readonly kind: StackKind;
  readonly name: string;
  readonly handle?: string;
  readonly id?: string;
  readonly tokens: number;
}

/** The name of a part: an object that cannot be read has only its handle. */
export function partName({ name, handle, kind }: TimelinePart): string {
  return name === "" ? (handle ?? kind) : name;
}

/** Walks through the calls of a timeline; `tokens` has the estimated tokens of each part and is used again. */
export function walkCalls(
  { parts, calls }: SessionTimeline,
  visit: (index: number, tokens: Float64Array) => void,
): void {
  const tokens = new Float64Array(parts.length);
  for (const [index, { changes }] of calls.entries()) {
    for (const [part, value] of changes) if (part < tokens.length) tokens[part] = value;
    visit(index, tokens);
  }
}

/** The estimated tokens of each part in one call, before calibration. */
function tokensAt(timeline: SessionTimeline, index: number): Float64Array {
  const tokens = new Float64Array(timeline.parts.length);
  for (const { changes } of timeline.calls.slice(0, index + 1))
    for (const [part, value] of changes) if (part < tokens.length) tokens[part] = value;
  return tokens;
}

/** The name of what the host sends and no part shows. */
export const hostName = "host (tools, …)";

/**
 * The tokens that the host sends in a call and that no part shows, such as the declarations of tools. The overhead of
 * the calibration has the system prompts too, and they are a part of their own.
 */
function hostTokens({ parts, calibration }: SessionTimeline, tokens: Float64Array): number {
  const { factor, overhead } = calibration;
  let prompts = 0;
  for (const [part, { kind }] of parts.entries())
    if (kind === "system") prompts += (tokens[part] ?? 0) * factor;
  return Math.max(0, overhead - prompts);
}

/** `hostTokens` of each call; 0 for a call that cannot be read. */
export function hostOfCalls(timeline: SessionTimeline): Float64Array {
  const host = new Float64Array(timeline.calls.length);
  let prompts = Number.NaN;
  let last = 0;
  const system = timeline.parts.findIndex(({ kind }) => kind === "system");
  walkCalls(timeline, (index, tokens) => {
    if (timeline.calls[index]?.problem !== undefined) return;
    const now = tokens[system] ?? 0;
    if (now !== prompts) last = hostTokens(timeline, tokens);
    prompts = now;
    host[index] = last;
  });
  return host;
}

/** What filled the window in one call, the largest part first. */
export function callParts(timeline: SessionTimeline, index: number): readonly CallPart[] {
  const { factor } = timeline.calibration;
  if (timeline.calls[index]?.problem !== undefined) return [];
  const tokens = tokensAt(timeline, index);
  const parts = timeline.parts.flatMap((one, part): readonly CallPart[] => {
    const { kind, handle, id } = one;
    const value = (tokens[part] ?? 0) * factor;
    if (value === 0) return [];
    return [
      {
        part,
        kind,
        name: partName(one),
        tokens: value,
        ...(handle === undefined ? {} : { handle }),
        ...(id === undefined ? {} : { id }),
      },
    ];
  });
  const rest = hostTokens(timeline, tokens);
  const host: readonly CallPart[] =
    rest > 0 ? [{ kind: "host", name: hostName, tokens: rest }] : [];
  return [...host, ...parts].sort((a, b) => b.tokens - a.tokens);
}
