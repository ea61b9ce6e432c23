import type { Execution } from "../calls/execution.ts";
import type { StatePart } from "./state-part.ts";

/**
 * What is known of tool calls whose results have not been ingested. The facts that were recorded while a tool ran are
 * kept by the process. Which effects the stored session has is stored with it.
 */
export interface ToolExecutions extends StatePart {
  /** The provider ids of the calls whose effects the stored session has. */
  readonly applied: ReadonlySet<string>;
  /** Returns what was recorded of a call, and whether the session already has its effects. */
  get(callId: string): Execution | undefined;
  /** Adds facts to those that were recorded. References to files are added to the earlier ones. */
  record(callId: string, facts: Execution): void;
  /** Notes that the session has the effects of a call from its next version on. */
  noteApplied(callId: string): void;
  /** Notes that the result of a call was ingested. Its recorded facts stay until they are stored. */
  noteArrived(callId: string): void;
  /** Forgets the recorded facts of a call, because its result is stored. */
  forget(callId: string): void;
  /** Replaces the ids of applied calls by those of a stored session. */
  restore(applied: readonly string[]): void;
}

/** Returns an empty record. */
export function toolExecutions(): ToolExecutions {
  const recorded = new Map<string, Execution>();
  const applied = new Set<string>();
  let isChanged = false;

  return {
    applied,
    get isChanged() {
      return isChanged;
    },
    noteStored() {
      isChanged = false;
    },
    get(callId) {
      const known = recorded.get(callId);
      return applied.has(callId) ? { ...known, isApplied: true } : known;
    },
    record(callId, { fileRefs = [], ...facts }) {
      const known = recorded.get(callId);
      const references = [...(known?.fileRefs ?? []), ...fileRefs];
      recorded.set(callId, {
        ...known,
        ...facts,
        ...(references.length === 0 ? {} : { fileRefs: references }),
      });
    },
    noteApplied(callId) {
      applied.add(callId);
      isChanged = true;
    },
    noteArrived(callId) {
      if (applied.delete(callId)) isChanged = true;
    },
    forget(callId) {
      recorded.delete(callId);
    },
    restore(stored) {
      applied.clear();
      isChanged = true;
      for (const callId of stored) applied.add(callId);
    },
  };
}
