import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { SummaryCosts } from "@self-context-manager/core/inspect";
import type { SessionAnswer } from "../../src/answers.ts";
import { reportedCost, reportedCostText } from "../figures/billed.ts";
import { differenceText } from "../figures/difference-text.ts";
import { fromCalls, modelsOf } from "../figures/models.ts";
import { costSums, missSums } from "../figures/session-sums.ts";
import { usageSums } from "../figures/usage.ts";
import { Bar } from "../parts/bar.tsx";
import { count, counted, percent, ratio, short } from "../text/format.ts";
import { visibleName } from "../text/visible-text.ts";
import { missText } from "../text/words.ts";

/** The figures at the head of a session. */
export function SessionFigures({
  answer,
  totals,
}: {
  readonly answer: SessionAnswer;
  readonly totals: Float64Array;
}): JSX.Element {
  const { timeline } = answer;
  const { calls } = timeline;
  const cost = useMemo(() => costSums(calls), [calls]);
  const reportedText = useMemo(
    () => reportedCostText(reportedCost(calls), cost.calls),
    [calls, cost.calls],
  );
  const usage = useMemo(() => usageSums(timeline, totals), [timeline, totals]);
  const misses = useMemo(() => missSums(calls), [calls]);
  const models = useMemo(() => modelsOf(calls), [calls]);
  const repeated = useMemo(() => calls.reduce((sum, call) => sum + call.repeated, 0), [calls]);
  const inView = useMemo(() => calls.reduce((sum, call) => sum + call.tokens, 0), [calls]);
  const reported = usage.input + usage.cacheRead + usage.cacheWrite;
  const share = cost.plainUnits === 0 ? undefined : cost.units / cost.plainUnits;
  const again = misses.reduce((sum, { tokens }) => sum + tokens, 0);
  const others = misses.slice(2).reduce((sum, { tokens }) => sum + tokens, 0);
  const sent = usage.calls === 0 ? totals.reduce((sum, tokens) => sum + tokens, 0) : reported;
  return (
    <dl class="figures">
      <Figure title="Calls" value={count(calls.length)}>
        {models.length === 0 ? "model not recorded" : null}
        {models.map(({ model, from }) => (
          <div key={model}>
            {visibleName(model)}
            {models.length === 1 ? "" : ` ${fromCalls(from)}`}
          </div>
        ))}
      </Figure>
      <Figure title="Cost" value={share === undefined ? "–" : ratio(share)}>
        {share === undefined ? (
          "no cost recorded"
        ) : (
          <>
            <Bar share={share} tone={share > 1 ? "bad" : "good"} />
            {short(cost.units)} tokens of uncached input, instead of {short(cost.plainUnits)} in the
            plain host, estimated.{reportedText === undefined ? "" : ` ${reportedText}`}
          </>
        )}
        {answer.session.summaries === undefined ? null : (
          <div>{summariesText(answer.session.summaries)}</div>
        )}
      </Figure>
      <Figure
        title="Read from the cache"
        value={usage.calls === 0 ? "–" : percent(usage.cacheRead / reported)}
      >
        {usage.calls === 0 ? (
          "the provider reported no usage"
        ) : (
          <>
            <Bar share={usage.cacheRead / reported} />
            of {short(reported)} tokens in {counted(usage.calls, "reported call")}
          </>
        )}
      </Figure>
      <Figure title="Sent again as new" value={`${short(again)} tokens`}>
        {again === 0
          ? "no cache misses worth naming"
          : `${percent(again / Math.max(1, sent))} of all tokens: ${misses
              .slice(0, 2)
              .map(({ reason, tokens }) => `${missText(reason)} ${short(tokens)}`)
              .join(", ")}${others === 0 ? "" : `, and others ${short(others)}`}`}
      </Figure>
      <Figure title="Window at the last call" value={`${short(totals.at(-1) ?? 0)} tokens`}>
        estimated, with the part of the host
      </Figure>
      <Figure title="Shown more than once" value={percent(repeated / Math.max(1, inView))}>
        {repeated === 0
          ? "no content is in a view twice"
          : `of the tokens of all calls: ${short(repeated)} of ${short(inView)}, estimated`}
      </Figure>
      <Figure
        title="Estimate against provider"
        value={usage.calls === 0 ? "–" : signed(usage.estimated / reported - 1)}
      >
        {usage.calls === 0
          ? "nothing to compare with"
          : `${differenceText(usage.estimated, reported)} ${short(usage.estimated)} and ${short(reported)} tokens.`}
      </Figure>
    </dl>
  );
}

/** Says what the summaries of turns have cost. The other costs are without them. */
function summariesText({ turns, calls, input, output, cost, model }: SummaryCosts): string {
  const by = model === undefined ? "" : ` by ${visibleName(model)}`;
  const price = cost === undefined ? "" : `, $${cost.toFixed(4)}`;
  const read = `${short(input)} tokens read and ${short(output)} written in ${counted(calls, "call")}`;
  return `Not included: summaries of ${counted(turns, "turn")}${by}, ${read}${price}.`;
}

function Figure({
  title,
  value,
  children,
}: {
  readonly title: string;
  readonly value: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt>{title}</dt>
      <dd class="value">{value}</dd>
      <dd class="quiet">{children}</dd>
    </div>
  );
}

function signed(share: number): string {
  return `${share < 0 ? "−" : "+"}${percent(Math.abs(share))}`;
}
