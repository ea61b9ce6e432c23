import type { Sides } from "./scenario.ts";

/** The share and the tokens by which a request may always be larger than that of plain Pi. */
export const slack = { share: 0.03, tokens: 200 } as const;

/** The tokens that a request may have in addition for each change of a file that the model has seen. */
export const allowances = { notice: 40, difference: 400 } as const;

export interface SizeReport {
  /** The steps at which the managed request is too large. */
  readonly tooLarge: readonly number[];
  /** A table of all steps, for a reader of a failure. */
  readonly table: string;
}

/** Compares the sizes of the messages of both sides, request by request. */
export function sizeReport({ plain, managed }: Sides): SizeReport {
  const rows = managed.steps.map(({ request, allowed }, step) => {
    const other = plain.steps[step]?.request;
    const limit = Math.floor((other?.tokens ?? 0) * (1 + slack.share)) + slack.tokens + allowed;
    return {
      step,
      cells: [
        `${step + 1}`,
        cell(other?.tokens),
        cell(other?.characters),
        cell(request.tokens),
        cell(request.characters),
        cell(limit),
        request.tokens > limit ? "too large" : "",
      ],
      isTooLarge: request.tokens > limit,
    };
  });
  const heads = ["request", "plain tokens", "plain chars", "our tokens", "our chars", "limit", ""];
  return {
    tooLarge: rows.flatMap(({ step, isTooLarge }) => (isTooLarge ? [step + 1] : [])),
    table: table([heads, ...rows.map(({ cells }) => cells)]),
  };
}

/** Describes both sides for a person: the sizes, the refusals, the time, and what the user was notified of. */
export function describeSides(sides: Sides): string {
  const lines = (["plain", "managed"] as const).map((name) => {
    const { refused, milliseconds, notices, problems } = sides[name];
    return `${name}: ${refused.length} refused, ${milliseconds} ms, ${JSON.stringify({ notices, problems })}`;
  });
  return [sizeReport(sides).table, ...lines].join("\n");
}

function cell(value: number | undefined): string {
  return value === undefined ? "none" : value.toLocaleString("en-US");
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((text, column) => text.padStart(widths[column] ?? 0)).join("  "))
    .join("\n");
}
