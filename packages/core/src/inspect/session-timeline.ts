import {
  defined,
  type JsonValue,
  messageOf,
  type ObjectId,
  type ObjectStore,
  resolveReference,
  shareVersion,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import { rawTokens } from "../cost/calibrated-estimator.ts";
import { promptOf } from "../cost/reported-usage.ts";
import { describeEntries } from "../view/describe-entries.ts";
import { readEntryRow } from "../view/entry-row.ts";
import type { Layout } from "../view/layout.ts";
import { type MissFacts, missOf } from "./cache-miss.ts";
import { unitsOf } from "./reported-units.ts";
import { type ReadVersion, readVersions } from "./read-versions.ts";
import { recordedView, type RecordedView, type SentReference } from "./recorded-view.ts";
import { sessionCosts, type SessionStep } from "./session-costs.ts";
import type { PartChange, SessionTimeline, TimelineCall } from "./timeline.ts";
import { timelineParts } from "./timeline-parts.ts";
import { type RowsChange, viewFill } from "./view-fill.ts";

/** What was read of a session, to which later calls are added. */
export interface ReadTimeline {
  /**
   * Reads the new versions of the session and its view. `count`: the number of views before the reading; undefined if the
   * latest view cannot be read.
   */
  update(viewId: ObjectId, count: number | undefined): Promise<void>;
  timeline(after: number): SessionTimeline;
}

/** A call that was read, with what is needed for the next one. */
interface Sent {
  readonly view: RecordedView;
  readonly number: number;
  readonly facts: Omit<MissFacts, "nameOf"> | undefined;
}

/** A view that was read, with the tokens of its system prompts and what differs from the call before. */
interface NextCall {
  readonly view: RecordedView;
  readonly prompts: number;
  readonly change: RowsChange;
  readonly continues: number | undefined;
}

/** A part of the tokens that the recorded number may have more than the entries, because of rounding. */
const roundingShare = 0.1;

export function readTimeline(
  store: ObjectStore,
  layouts: readonly Layout[],
  sessionId: ObjectId,
): ReadTimeline {
  const parts = timelineParts();
  const fill = viewFill();
  const costs = sessionCosts();
  const calls: TimelineCall[] = [];
  const promptTokens = new Map<string, number>();
  /** The tokens of each part in the last call, by its number. */
  const shown: number[] = [];
  const waiting = new Map<number, Omit<MissFacts, "nameOf">>();
  let sessionsRead = 0;
  let viewsRead = 0;
  let last: Sent | undefined;
  let step: { readonly tx: number; readonly step: SessionStep } | undefined;

  /** Takes a version of the session. A report belongs to the last call before it, so it comes before a view of its time. */
  function takeSession({ version, stored }: ReadVersion): void {
    sessionsRead = version;
    if (stored === undefined) return;
    const taken = costs.take(stored);
    step = { tx: stored.at.tx_id, step: taken };
    const call = calls.at(-1);
    if (call === undefined || last?.number !== call.call) return;
    calls[calls.length - 1] = answeredCall(call, taken);
    const { usage } = taken;
    if (usage !== undefined && last.facts !== undefined)
      waiting.set(call.call, { ...last.facts, usage, isCached: costs.isCached });
  }

  async function takeView({ version, stored, problem }: ReadVersion): Promise<void> {
    // A store that fails here has changed nothing, so the view is read again the next time.
    const made = stored === undefined ? (problem ?? "") : await attempt(sharing(stored));
    viewsRead = version;
    if (typeof made === "string") calls.push(unreadable(version, stored, made));
    else addCall(made);
  }

  /** Rows are compared as values, and equal rows that are objects are one value only within one reading. */
  function sharing(stored: StoredVersion): StoredVersion {
    return shareVersion(last?.view.stored, stored);
  }

  async function attempt(stored: StoredVersion): Promise<NextCall | string> {
    try {
      const view = recordedView(stored, layouts);
      const prompts = await tokensOfPrompts(view.prompts);
      const continues = costs.continues(stored.version);
      const same = continues === undefined ? undefined : (calls[continues - 1]?.messages ?? 0);
      return { view, prompts, continues, change: fill.next(view.rows, same) };
    } catch (cause) {
      // The fields of a damaged view can have any type, so any error is possible.
      if (StoreError.is(cause)) throw cause;
      return `version ${stored.version} of object ${stored.body.id} contains no view (${messageOf(cause)})`;
    }
  }

  function addCall({ view, prompts, change, continues }: NextCall): void {
    const { stored, figures, rows, epoch } = view;
    const { factor } = costs.calibration;
    const recorded = Math.round(figures.tokens / factor);
    const entries = fill.sum;
    const tokens = recorded > entries * (1 + roundingShare) ? recorded : entries;
    fill.set("messages", tokens - entries);
    fill.set("system", prompts);
    const { cost } = step?.tx === stored.at.tx_id ? step.step : {};
    const { cache } = figures;
    const call: TimelineCall = {
      call: stored.version,
      at: stored.at,
      layout: view.layout,
      tokens,
      ...epochOf(view),
      ...(cache === undefined ? {} : { sentAt: cache.used_at, model: cache.model }),
      ...(rows.length === 0 ? {} : { messages: rows.length }),
      changes: changesNow(),
      shared: change.sameTokens,
      repeated: fill.repeated,
      ...defined({ cost }),
    };
    const before = last?.view;
    const facts: Omit<MissFacts, "nameOf"> | undefined =
      before === undefined
        ? undefined
        : {
            unchanged: unchangedTokens(change.sameTokens),
            resent: change.resentTokens * factor,
            cost,
            isCached: costs.isCached,
            models: [before.figures.cache?.model, cache?.model],
            changedPrompts: changedPrompts(before.prompts, view.prompts),
            epochs: [before.epoch, epoch],
            sentAt: [before.figures.cache?.used_at, cache?.used_at],
            continues,
            differs:
              change.differsAt === undefined
                ? undefined
                : { message: change.sameRows + 1, what: describedRow(change.differsAt.before) },
          };
    calls.push(call);
    last = { view, number: call.call, facts };
    if (facts !== undefined) waiting.set(call.call, facts);
  }

  /**
   * Returns the provider's tokens of the beginning of a prompt that the call before had too. The report of that call has
   * the best figure: without the estimated tokens of what follows the beginning.
   */
  function unchangedTokens(sameTokens: number): number {
    const { factor, overhead } = costs.calibration;
    const before = calls.at(-1);
    if (before?.usage === undefined || before.call !== last?.number)
      return sameTokens * factor + overhead;
    return Math.max(0, promptOf(before.usage) - (before.tokens - sameTokens) * factor);
  }

  /** Returns the parts whose tokens differ from those in the last call. */
  function changesNow(): readonly PartChange[] {
    const changes: PartChange[] = [];
    for (const key of fill.takeChanged()) {
      const number = parts.numberOf(key, (handle) => costs.idOf(handle));
      const tokens = fill.tokensOf(key);
      if (tokens === (shown[number] ?? 0)) continue;
      shown[number] = tokens;
      changes.push([number, tokens]);
    }
    return changes;
  }

  async function tokensOfPrompts(prompts: readonly SentReference[]): Promise<number> {
    let sum = 0;
    for (const { reference } of prompts) {
      const name = `${reference.id} ${reference.tx_id}`;
      let tokens = promptTokens.get(name);
      if (tokens === undefined) {
        const { stored } = await resolveReference(store, reference);
        tokens = Math.ceil(rawTokens(stored?.body.content ?? ""));
        promptTokens.set(name, tokens);
      }
      sum += tokens;
    }
    return sum;
  }

  return {
    async update(viewId, count) {
      const sessions = readVersions(store, sessionId, sessionsRead + 1);
      let session = await sessions.next();
      const takeSessions = (isDue: (stored: StoredVersion) => boolean): Promise<void> =>
        advance(async () => {
          if (session.done === true) return false;
          if (session.value.stored !== undefined && !isDue(session.value.stored)) return false;
          takeSession(session.value);
          session = await sessions.next();
          return true;
        });
      // A view that is stored from now on is read the next time, because the session's versions of its time may be missing here.
      for await (const read of readVersions(store, viewId, viewsRead + 1, count)) {
        if (read.stored === undefined && read.version > (count ?? 0)) break;
        const tx = read.stored?.at.tx_id ?? 0;
        await takeSessions(({ at }) => at.tx_id <= tx);
        await takeView(read);
      }
      // A call of which the view was stored after it was looked for is read the next time.
      await takeSessions((stored) => !costs.hasCall(stored));
      await sessions.return();
      await parts.describe(store, last?.view.workspace ?? "");
      for (const [number, facts] of waiting) {
        const call = calls[number - 1];
        const miss = missOf({ ...facts, nameOf: (handle) => parts.nameOf(handle) });
        if (call === undefined) continue;
        const { miss: _former, ...rest } = call;
        calls[number - 1] = miss === undefined ? rest : { ...rest, miss };
      }
      waiting.clear();
    },
    timeline(after) {
      return {
        parts: [...parts.all],
        calls: calls.slice(Math.max(0, after)),
        calibration: costs.calibration,
      };
    },
  };
}

/** Returns a call with what became known of its answer. */
function answeredCall(call: TimelineCall, { usage, settled }: SessionStep): TimelineCall {
  const { cost } = call;
  const plain = settled === undefined ? {} : { plainUnits: settled.plainUnits };
  const known = {
    ...call,
    ...defined({ cost: cost === undefined ? cost : { ...cost, ...plain } }),
  };
  if (usage === undefined) return known;
  const reportedUnits = settled?.units ?? unitsOf(usage, call);
  return { ...known, usage, ...defined({ reportedUnits }) };
}

async function advance(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

function unreadable(
  call: number,
  stored: StoredVersion | undefined,
  problem: string,
): TimelineCall {
  return {
    call,
    at: stored?.at ?? { tx_id: 0, tx_time: "" },
    layout: "",
    tokens: 0,
    changes: [],
    shared: 0,
    repeated: 0,
    problem,
  };
}

function epochOf({ epoch }: RecordedView): Pick<TimelineCall, "epoch"> {
  if (epoch === undefined) return {};
  const { number, calls, endedBy, left } = epoch;
  return { epoch: { number, call: calls, ...defined({ endedBy }), left } };
}

/** Returns the origins of the system prompts that are not the same in both calls. */
function changedPrompts(
  before: readonly SentReference[],
  now: readonly SentReference[],
): readonly string[] {
  if (before === now) return [];
  const [former, present] = [hashesOf(before), hashesOf(now)];
  return [...new Set([...former.keys(), ...present.keys()])].filter(
    (origin) => former.get(origin) !== present.get(origin),
  );
}

function hashesOf(prompts: readonly SentReference[]): ReadonlyMap<string, unknown> {
  return new Map(prompts.map(({ origin, reference }) => [origin, reference.object_hash]));
}

/** Returns what a row is, for the user. */
function describedRow(row: JsonValue): string {
  const [described] = describeEntries([readEntryRow(row)]);
  if (described === undefined) return "";
  const { what, place, versions } = described;
  const named = versions.map(({ handle }) => handle).join(", ");
  return [what, named, place === "" ? "" : `(${place})`].filter((one) => one !== "").join(" ");
}
