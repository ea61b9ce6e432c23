import type { TimelineCall } from "@self-context-manager/core/inspect";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SessionAnswer } from "../../src/answers.ts";
import { type KindCost, kindCosts, objectCosts, type PartCost } from "../figures/object-costs.ts";
import { type LeftObject, leftObjects } from "../figures/left-objects.ts";
import { type EpochRow, epochRows } from "../figures/session-sums.ts";
import { Bar } from "../parts/bar.tsx";
import { type Column, DataTable, numbers } from "../parts/data-table.tsx";
import { CallLink, ObjectLink } from "../parts/object-link.tsx";
import { count, counted, percent, short } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";
import { epochEndText, kindNames, missLimits, missText } from "../text/words.ts";
import { LeftList } from "./left-list.tsx";

type Missed = TimelineCall & Required<Pick<TimelineCall, "miss">>;

/** The tables of a session. They come after the picture: their sums over a long session would delay it. */
export function SessionTables(props: {
  readonly answer: SessionAnswer;
  readonly totals: Float64Array;
  readonly onGo: (call: number) => void;
}): JSX.Element {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true));
    return () => clearTimeout(timer);
  }, []);
  return isReady ? <Tables {...props} /> : <p class="quiet waiting">Adding up …</p>;
}

/** What cost most, cache misses, and epochs. */
function Tables({
  answer,
  totals,
  onGo,
}: {
  readonly answer: SessionAnswer;
  readonly totals: Float64Array;
  readonly onGo: (call: number) => void;
}): JSX.Element {
  const { session, timeline } = answer;
  const costs = useMemo(
    () =>
      objectCosts(timeline).toSorted((a, b) => b.units - a.units || b.tokenCalls - a.tokenCalls),
    [timeline],
  );
  const kinds = useMemo(() => kindCosts(costs), [costs]);
  const reported = useMemo(
    () => timeline.calls.filter(({ reportedUnits }) => reportedUnits !== undefined).length,
    [timeline],
  );
  const misses = useMemo(
    () => timeline.calls.filter((call): call is Missed => (call.miss?.tokens ?? 0) > 0),
    [timeline],
  );
  const epochs = useMemo(() => epochRows(timeline, totals), [timeline, totals]);
  const left = useMemo(() => leftObjects(timeline), [timeline]);
  const units = costs.reduce((sum, one) => sum + one.units, 0);
  const show = (call: number): JSX.Element => (
    <button
      type="button"
      class="small"
      aria-label={`show call ${call} in the picture`}
      onClick={() => {
        onGo(call);
        document.querySelector("#picture-title")?.scrollIntoView({ block: "start" });
      }}
    >
      Show
    </button>
  );
  return (
    <>
      <section class="card" aria-labelledby="cost-title">
        <h2 id="cost-title">What cost most</h2>
        <DataTable
          caption="By kind, in tokens of uncached input."
          columns={kindColumns(units)}
          rows={kinds}
          keyOf={({ kind }) => kind}
          empty="No call of this session can be read."
        />
        <h3>By part</h3>
        <DataTable
          caption={
            <>
              <em>Cost</em> divides the cost of each call among its parts: new tokens at the price
              of new ones, cached tokens at the price of cached ones.{" "}
              {reported === 0
                ? "The provider reported no cost, so all is estimated."
                : reported === timeline.calls.length
                  ? "The cost of all calls was reported by the provider; its shares and all tokens are estimated."
                  : `The cost of ${counted(reported, "call")} was reported by the provider, that of the others is estimated, as are its shares and all tokens.`}
            </>
          }
          columns={costColumns(session.id, units)}
          rows={costs}
          keyOf={({ part }) => part ?? "host"}
          empty="No call of this session can be read."
        />
      </section>
      <section class="card" aria-labelledby="miss-title">
        <h2 id="miss-title">Cache misses</h2>
        <DataTable
          caption={`Tokens that an earlier call had sent and that were billed again as new, and why. ${missLimits.named}`}
          columns={missColumns(session.id, show)}
          rows={misses}
          keyOf={({ call }) => call}
          empty="No call has a cache miss of this size."
        />
      </section>
      {epochs.length === 0 ? null : (
        <section class="card" aria-labelledby="epoch-title">
          <h2 id="epoch-title">Epochs</h2>
          <DataTable
            caption="Between two epochs, content that was not used recently leaves the view. Each object is named with the next call that had it in view again."
            columns={epochColumns(session.id, show, (call) => left.get(call) ?? [])}
            rows={epochs}
            keyOf={({ number }) => number}
            empty=""
          />
        </section>
      )}
    </>
  );
}

function kindColumns(units: number): readonly Column<KindCost>[] {
  return [
    {
      title: "Kind",
      cell: ({ kind }) => (
        <>
          <i class={`swatch kind-${kind}`} aria-hidden="true" /> {kindNames[kind]}
        </>
      ),
    },
    shareColumn("Share", units),
    numbers(
      "Cost",
      (row) => row.units,
      (row) => short(row.units),
    ),
    tokenCallsColumn,
    { title: "Parts", isNumber: true, cell: ({ parts }) => count(parts) },
  ];
}

/** The share of a row in the cost of all calls. */
function shareColumn(title: string, units: number): Column<{ readonly units: number }> {
  return numbers(
    title,
    (row) => row.units,
    (row) => (
      <span class="withbar">
        {percent(row.units / units)}
        <Bar share={row.units / units} />
      </span>
    ),
  );
}

const tokenCallsColumn: Column<{ readonly tokenCalls: number }> = {
  title: "Tokens × calls",
  isNumber: true,
  cell: ({ tokenCalls }) => short(tokenCalls),
  order: ({ tokenCalls }) => tokenCalls,
};

function costColumns(session: string, units: number): readonly Column<PartCost>[] {
  return [
    {
      title: "Part",
      cell: ({ id, name, handle, kind }) => (
        <>
          <i class={`swatch kind-${kind}`} aria-hidden="true" /> <ObjectLink id={id} name={name} />{" "}
          {handle === undefined ? null : <span class="handle">{visibleText(handle)}</span>}
        </>
      ),
      order: ({ name }) => name,
    },
    { title: "Kind", cell: ({ kind }) => kindNames[kind], order: ({ kind }) => kind },
    shareColumn("Cost", units),
    tokenCallsColumn,
    numbers("Calls in view", ({ calls }) => calls),
    numbers(
      "Largest",
      ({ tokens }) => tokens,
      ({ tokens }) => short(tokens),
    ),
    {
      title: "First and last call",
      isNumber: true,
      cell: ({ first, last, handle }) => (
        <>
          <CallLink session={session} call={first} part={handle} /> –{" "}
          <CallLink session={session} call={last} part={handle} />
        </>
      ),
      order: ({ first }) => first,
    },
  ];
}

function missColumns(
  session: string,
  show: (call: number) => JSX.Element,
): readonly Column<Missed>[] {
  return [
    numbers(
      "Call",
      ({ call }) => call,
      ({ call }) => <CallLink session={session} call={call} />,
    ),
    numbers("Tokens", ({ miss }) => miss.tokens),
    { title: "Why", cell: ({ miss }) => missText(miss.reason), order: ({ miss }) => miss.reason },
    { title: "Reason", cell: ({ miss }) => <span class="sentence">{visibleText(miss.text)}</span> },
    { title: "Tokens are", cell: ({ miss }) => (miss.isReported ? "reported" : "estimated") },
    { title: "Picture", cell: ({ call }) => show(call) },
  ];
}

function epochColumns(
  session: string,
  show: (call: number) => JSX.Element,
  leftAt: (call: number) => readonly LeftObject[],
): readonly Column<EpochRow>[] {
  return [
    { title: "Epoch", isNumber: true, cell: ({ number }) => number, order: ({ number }) => number },
    {
      title: "Calls",
      isNumber: true,
      cell: ({ first, last }) => (
        <>
          <CallLink session={session} call={first} /> – <CallLink session={session} call={last} />
        </>
      ),
      order: ({ first, last }) => last - first,
    },
    {
      title: "The epoch before it ended because",
      cell: ({ startedBecause }) => (
        <span class="sentence">
          {startedBecause === undefined
            ? "it is the first one"
            : `${epochEndText(startedBecause)} (${visibleText(startedBecause)})`}
        </span>
      ),
    },
    {
      title: "Left the view",
      cell: ({ left, first }) =>
        left.length === 0 ? (
          "nothing"
        ) : (
          <div class="sentence">
            {counted(left.length, "object")}
            <LeftList left={leftAt(first)} session={session} shown={3} />
          </div>
        ),
      order: ({ left }) => left.length,
    },
    numbers(
      "Tokens at its end",
      ({ tokens }) => tokens,
      ({ tokens }) => short(tokens),
    ),
    { title: "Picture", cell: ({ first }) => show(first) },
  ];
}
