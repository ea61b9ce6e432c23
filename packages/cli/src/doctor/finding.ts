/** The result of one check. */
export interface Finding {
  readonly check: string;
  /** `note`: nothing is damaged, but the user should know; `unchecked`: the check could not be made. */
  readonly state: "ok" | "note" | "damaged" | "unchecked";
  readonly text: string;
  /** Single facts below the text, at most 20. */
  readonly details: readonly string[];
}

/** The most details of a finding. One damaged page can be the cause of thousands. */
const mostDetails = 20;

export function ok(check: string, text: string): Finding {
  return { check, state: "ok", text, details: [] };
}

export function note(check: string, text: string, details: readonly string[] = []): Finding {
  return { check, state: "note", text, details: cut(details) };
}

export function damaged(check: string, text: string, details: readonly string[] = []): Finding {
  return { check, state: "damaged", text, details: cut(details) };
}

export function unchecked(check: string, text: string): Finding {
  return { check, state: "unchecked", text, details: [] };
}

function cut(details: readonly string[]): readonly string[] {
  if (details.length <= mostDetails) return details;
  return [...details.slice(0, mostDetails), `and ${details.length - mostDetails} more`];
}
