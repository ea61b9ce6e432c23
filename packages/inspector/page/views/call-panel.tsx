import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { SessionAnswer } from "../../src/answers.ts";
import { billedOf } from "../figures/billed.ts";
import { type CallPart, callParts } from "../figures/call-parts.ts";
import { differenceText } from "../figures/difference-text.ts";
import { cachedTokens, reportedTokens } from "../figures/usage.ts";
import { Bar } from "../parts/bar.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Name } from "../parts/name.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { Damage } from "../parts/states.tsx";
import type { Selection } from "../pictures/token-picture.tsx";
import { linkTo } from "../route.ts";
import { count, percent, time } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";
import { epochEndText, kindNames } from "../text/words.ts";

/** The selected call: its figures, and a table of what filled its window. */
export function CallPanel({
  answer,
  selection,
  onGo,
}: {
  readonly answer: SessionAnswer;
  readonly selection: Selection;
  readonly onGo: (call: number) => void;
}): JSX.Element | null {
  const { session, timeline } = answer;
  const { index, parts: chosen } = selection;
  const parts = useMemo(() => callParts(timeline, index), [timeline, index]);
  const call = timeline.calls[index];
  if (call === undefined) return null;
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const cached = cachedTokens(call);
  const billed = billedOf(call);
  const columns: readonly Column<CallPart>[] = [
    {
      title: "Part",
      cell: ({ id, name, handle, kind }) => (
        <>
          <i class={`swatch kind-${kind}`} aria-hidden="true" /> <ObjectLink id={id} name={name} />{" "}
          {handle === undefined ? null : (
            <a
              class="handle"
              href={linkTo({ view: "call", session: session.id, call: call.call, part: handle })}
              aria-label={`${handle} in call ${call.call}`}
            >
              {visibleText(handle)}
            </a>
          )}
          {handle === undefined ? null : <span class="quiet kind"> {kindNames[kind]}</span>}
        </>
      ),
      order: ({ name }) => name,
    },
    {
      title: "Tokens, estimated",
      isNumber: true,
      cell: ({ tokens }) => (
        <span class="withbar">
          {count(tokens)}
          <Bar share={tokens / total} />
        </span>
      ),
      order: ({ tokens }) => tokens,
    },
    { title: "Share", isNumber: true, cell: ({ tokens }) => percent(tokens / total) },
  ];
  const isChosen = ({ part }: CallPart): boolean =>
    chosen !== undefined && (part === undefined ? chosen.length === 0 : chosen.includes(part));
  return (
    <section class="card panel" aria-labelledby="call-title">
      <div class="cardhead">
        <h2 id="call-title">Call {call.call}</h2>
        <a class="button" href={linkTo({ view: "call", session: session.id, call: call.call })}>
          Open call {call.call}
        </a>
        <button
          type="button"
          class="small"
          aria-label="previous call"
          onClick={() => onGo(call.call - 1)}
        >
          ←
        </button>
        <button
          type="button"
          class="small"
          aria-label="next call"
          onClick={() => onGo(call.call + 1)}
        >
          →
        </button>
      </div>
      {call.problem === undefined ? null : (
        <Damage title="The view of this call cannot be read" problems={[call.problem]} />
      )}
      <dl class="pairs">
        <dt>Sent</dt>
        <dd>{time(call.sentAt ?? call.at.tx_time)}</dd>
        <dt>Model</dt>
        <dd>{call.model === undefined ? "not recorded" : <Name text={call.model} />}</dd>
        <dt>Estimated</dt>
        <dd>{count(total)} tokens</dd>
        <dt>Provider</dt>
        <dd>
          {call.usage === undefined
            ? "no usage reported"
            : `${count(reportedTokens(call.usage))} tokens. ${differenceText(total, reportedTokens(call.usage))}`}
        </dd>
        <dt>Cached</dt>
        <dd>
          {call.usage === undefined && call.cost === undefined
            ? "not known"
            : `${count(cached.tokens)} tokens, ${cached.isReported ? "as the provider reported" : "estimated"}`}
          {call.usage === undefined
            ? ""
            : `; ${count(call.usage.cacheWrite)} written to the cache, ${count(call.usage.input)} neither`}
        </dd>
        {billed === undefined ? null : (
          <>
            <dt>Cost</dt>
            <dd>
              {count(billed.units)} tokens of uncached input,{" "}
              {billed.isReported ? "reported" : "estimated"}
              {billed.isReported && call.cost !== undefined
                ? ` (estimated ${count(call.cost.units)})`
                : ""}
            </dd>
          </>
        )}
        {call.epoch === undefined ? null : (
          <>
            <dt>Epoch</dt>
            <dd>
              {call.epoch.number}, call {call.epoch.call} of it
              {call.epoch.call === 1 && call.epoch.endedBy !== undefined
                ? `. The epoch before it ended because ${epochEndText(call.epoch.endedBy)}.`
                : ""}
            </dd>
          </>
        )}
        {call.repeated === 0 ? null : (
          <>
            <dt>Shown twice</dt>
            <dd>
              {count(call.repeated)} tokens of content are in the view more than once, estimated
            </dd>
          </>
        )}
        <dt>Cache miss</dt>
        <dd class={call.miss === undefined ? undefined : "problem"}>
          {call.miss === undefined
            ? "none worth naming"
            : `◆ ${count(call.miss.tokens)} tokens sent again as new (${call.miss.isReported ? "reported" : "estimated"}). ${visibleText(call.miss.text)}`}
        </dd>
      </dl>
      <DataTable
        key={index}
        caption={`What filled the window at call ${call.call}`}
        columns={columns}
        rows={parts}
        keyOf={({ part }) => part ?? "host"}
        shown={10}
        empty="Nothing is known of this call."
        rowClass={(part) => (isChosen(part) ? "chosen" : undefined)}
      />
    </section>
  );
}
