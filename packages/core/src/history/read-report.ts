import { lineCount, type LineRange, withRange } from "@self-context-manager/objects";
import { rangesText } from "../render/content-block.ts";
import { shortName } from "../render/short-name.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { IndexedFile } from "./file-index.ts";

/**
 * Returns the report of a read of a file with text, before the file is activated: whether it was indexed, whether it is
 * in the pool, and which of its lines are active (decision D40).
 */
export function readReport(
  scope: SessionScope,
  indexed: IndexedFile,
  range: LineRange | undefined,
): string {
  const { entry, stored, step } = indexed;
  const active = scope.state.active.get(entry.id);
  const ranges = withRange(active === undefined ? [] : active.ranges, range);
  const lines = lineCount(stored.body.content ?? "");
  const shown = ranges === undefined ? `${lines} lines` : rangesText(ranges, lines);
  const isUnchanged = step === "unchanged";
  const state = isUnchanged ? `already active, ${shown}` : `active, refreshed, ${shown}`;
  const steps = [
    ...indexSteps(scope, indexed),
    active === undefined ? `active, ${shown}` : state,
  ].join("; ");
  const hint =
    isUnchanged && active !== undefined
      ? ` It is already in the context; do not read it again.`
      : "";
  return `${steps}.${hint}`;
}

/** Returns the first two steps of the report: whether the file was indexed, and whether it is in the pool. */
export function indexSteps(
  { dependencies }: SessionScope,
  { entry, stored, step, joined }: IndexedFile,
): readonly string[] {
  const name = `${entry.handle} ${shortName(dependencies.workspace, stored.body)}`;
  return [
    `${name}: ${indexStep(step, stored.version)}`,
    joined ? "joined the pool" : "already in the pool",
  ];
}

function indexStep(step: IndexedFile["step"], version: number): string {
  if (step === "new") return `indexed, version ${version}`;
  return step === "changed"
    ? `changed, now version ${version}`
    : `unchanged since version ${version}`;
}
