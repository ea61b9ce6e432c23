import {
  isJsonObject,
  type JsonValue,
  madeOnce,
  type ObjectId,
  type ObjectStore,
  sameStart,
  type StaticReference,
} from "@self-context-manager/objects";
import { contentVersions, readVersions } from "@self-context-manager/core/inspect";

import type { InView } from "../answers.ts";

export type ShownRun = InView["runs"][number];

/** A run of calls in which a system prompt was sent, by the transaction of its version. */
interface PromptRun {
  readonly id: ObjectId;
  readonly from: number;
  readonly to: number;
  readonly txId: number;
}

/** Which versions the calls of a session showed. Each view is read once, also when there are more of them later. */
export interface ShownVersions {
  /** Reads the views after those that were read before. */
  update(): Promise<void>;
  /** The number of views that were read. */
  readonly calls: number;
  /** Returns the runs of calls in which the content of an object was in view, by its handle. */
  runs(handle: string): readonly ShownRun[];
  readonly prompts: readonly PromptRun[];
}

/** The contents of one object in the view that was read last: how often each version is in it, and the run. */
interface Contents {
  readonly versions: Map<number, number>;
  readonly runs: { from: number; to: number; version: number }[];
  isInView: boolean;
}

/** Follows the views of a session, which are the versions of its view object. */
export function shownVersions(store: ObjectStore, view: ObjectId): ShownVersions {
  const contents = new Map<string, Contents>();
  const prompts: { id: ObjectId; from: number; to: number; txId: number }[] = [];
  const named = new Map<JsonValue, ReturnType<typeof contentVersions>>();
  let rows: readonly JsonValue[] = [];
  let calls = 0;

  function namedBy(row: JsonValue): ReturnType<typeof contentVersions> {
    return madeOnce(named, row, contentVersions);
  }

  function count(row: JsonValue, by: 1 | -1, changed: Set<string>): void {
    for (const { handle, version } of namedBy(row)) {
      const one = contents.get(handle) ?? { versions: new Map(), runs: [], isInView: false };
      contents.set(handle, one);
      const times = (one.versions.get(version) ?? 0) + by;
      if (times === 0) one.versions.delete(version);
      else one.versions.set(version, times);
      changed.add(handle);
    }
  }

  /** Ends the runs of objects whose content is another one in this call, and begins new ones. */
  function note(call: number, changed: ReadonlySet<string>): void {
    for (const handle of changed) {
      const one = contents.get(handle);
      if (one === undefined) continue;
      const last = one.runs.at(-1);
      const version = Math.max(0, ...one.versions.keys());
      if (one.isInView && last !== undefined) {
        if (last.version === version) continue;
        last.to = call - 1;
      }
      one.isInView = version > 0;
      if (version > 0) one.runs.push({ from: call, to: call, version });
    }
  }

  function next(call: number, after: readonly JsonValue[]): void {
    // A row that is no entry leaves everything as it was.
    for (const row of after) namedBy(row);
    const shorter = Math.min(rows.length, after.length);
    const start = sameStart(rows, after);
    let end = 0;
    while (end < shorter - start && rows.at(-1 - end) === after.at(-1 - end)) end += 1;
    const changed = new Set<string>();
    for (const row of rows.slice(start, rows.length - end)) count(row, -1, changed);
    for (const row of after.slice(start, after.length - end)) count(row, 1, changed);
    rows = after;
    note(call, changed);
  }

  function notePrompts(call: number, refs: JsonValue | undefined): void {
    const sent = isJsonObject(refs) ? Object.values(refs).filter(isJsonObject) : [];
    for (const { id, tx_id: txId } of sent as unknown as readonly StaticReference[]) {
      const last = prompts.findLast((one) => one.id === id);
      if (last?.txId === txId && last.to >= call - 1) last.to = call;
      else prompts.push({ id, from: call, to: call, txId });
    }
  }

  return {
    async update() {
      for await (const { version: call, stored } of readVersions(store, view, calls + 1)) {
        calls = call;
        const entries = stored?.body["entries"];
        notePrompts(call, stored?.body["system_prompt_refs"]);
        try {
          next(call, Array.isArray(entries) ? (entries as readonly JsonValue[]) : []);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          next(call, []);
        }
      }
    },
    get calls() {
      return calls;
    },
    runs: (handle) => {
      const one = contents.get(handle);
      return (one?.runs ?? []).map((run, index, all) =>
        one?.isInView === true && index === all.length - 1 ? { ...run, to: calls } : run,
      );
    },
    prompts,
  };
}
