import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type StaticReference,
  type StoredVersion,
} from "@self-context-manager/objects";
import type { EpochPlace, Layout } from "../view/layout.ts";
import { type CallFigures, readCallRow } from "../view/view-rows.ts";

/** What the timeline needs of a stored view. Its entries stay rows, because most are those of the view before. */
export interface RecordedView {
  readonly stored: StoredVersion;
  readonly layout: string;
  readonly workspace: string;
  readonly rows: readonly JsonValue[];
  readonly figures: CallFigures;
  readonly epoch?: EpochPlace;
  readonly prompts: readonly SentReference[];
}

/** A reference to a system prompt, with its origin. */
export interface SentReference {
  readonly origin: string;
  readonly reference: StaticReference;
}

/** Reads a stored view. Throws `TypeError` if it contains none. */
export function recordedView(stored: StoredVersion, layouts: readonly Layout[]): RecordedView {
  const { body } = stored;
  const { layout, workspace, entries, memory, system_prompt_refs: prompts } = body;
  if (typeof layout !== "string" || !Array.isArray(entries) || !isJsonObject(memory))
    throw new TypeError("it contains no view");
  const { call, ...rest } = memory;
  const figures = readCallRow(call);
  if (![figures.tokens, figures.turns, figures.steps].every(Number.isFinite))
    throw new TypeError("the figures of its call are no numbers");
  return {
    stored,
    layout,
    workspace: typeof workspace === "string" ? workspace : "",
    rows: entries as readonly JsonValue[],
    figures,
    ...epochIn(layout, rest, layouts),
    prompts: promptsIn(prompts),
  };
}

/** An epoch is in the memory of its layout, so the entries are not read. */
function epochIn(
  layout: string,
  memory: JsonObject,
  layouts: readonly Layout[],
): Pick<RecordedView, "epoch"> {
  const record = { layout, entries: [], turns: 0, steps: 0, workspace: "", memory };
  const epoch = layouts.find(({ name }) => name === layout)?.epochOf?.(record);
  if (epoch === undefined) return {};
  const isSound =
    Number.isFinite(epoch.number) && Array.isArray(epoch.left) && epoch.left.every(isText);
  if (!isSound) throw new TypeError("its epoch is not described");
  return { epoch };
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function promptsIn(prompts: JsonValue | undefined): readonly SentReference[] {
  if (!isJsonObject(prompts)) return [];
  return Object.entries(prompts).flatMap(([origin, reference]) =>
    isJsonObject(reference) ? [{ origin, reference: reference as unknown as StaticReference }] : [],
  );
}
