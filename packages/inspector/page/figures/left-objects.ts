import type { SessionTimeline } from "@self-context-manager/core/inspect";
import { partName } from "./call-parts.ts";

/** An object whose content left the view when an epoch ended. */
export interface LeftObject {
  /** Its handle; arguments of a call have a suffix, such as `t31/args`. */
  readonly key: string;
  readonly name: string;
  readonly id?: string;
  /** Whether a part of it was still in view. */
  readonly isPartly: boolean;
  /** The next call that had more of it in view again; undefined if there is none. */
  readonly back?: number;
}

/** The objects that left the view at the end of each epoch, by the number of the first call after it. */
export function leftObjects({
  parts,
  calls,
}: Pick<SessionTimeline, "parts" | "calls">): ReadonlyMap<number, readonly LeftObject[]> {
  const places = new Map(parts.map(({ handle }, part) => [handle, part] as const));
  const tokens = new Float64Array(parts.length);
  const ends = new Map<number, LeftObject[]>();
  /** The objects that are not back yet, by their part. */
  const waiting = new Map<number, { readonly least: number; back: (call: number) => void }[]>();
  let number: number | undefined;
  for (const { call, epoch, changes } of calls) {
    for (const [part, value] of changes) {
      if (part >= tokens.length) continue;
      tokens[part] = value;
      const open = waiting.get(part);
      if (open === undefined) continue;
      for (const { least, back } of open) if (value > least) back(call);
      waiting.set(
        part,
        open.filter(({ least }) => value <= least),
      );
    }
    if (epoch === undefined || epoch.number === number) continue;
    number = epoch.number;
    if (epoch.left.length === 0) continue;
    const left: LeftObject[] = [];
    for (const [place, key] of epoch.left.entries()) {
      const [handle = ""] = key.split("/");
      const part = places.get(handle);
      const found = part === undefined ? undefined : parts[part];
      const least = part === undefined ? 0 : (tokens[part] ?? 0);
      const one: LeftObject = {
        key,
        name: found === undefined ? "" : partName(found),
        ...(found?.id === undefined ? {} : { id: found.id }),
        isPartly: least > 0,
      };
      left.push(one);
      if (part === undefined) continue;
      const back = (at: number): void => {
        left[place] = { ...one, back: at };
      };
      waiting.set(part, [...(waiting.get(part) ?? []), { least, back }]);
    }
    ends.set(call, left);
  }
  return ends;
}
