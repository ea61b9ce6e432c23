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

/** What filled the window in one call, the largest part first. The sum is `expectedTokens` of the call. */
export function callParts(timeline: SessionTimeline, index: number): readonly CallPart[] {
  const { factor, overhead } = timeline.calibration;
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
  const host: readonly CallPart[] =
    overhead > 0 ? [{ kind: "host", name: "host (tools, …)", tokens: overhead }] : [];
  return [...host, ...parts].sort((a, b) => b.tokens - a.tokens);
}
