import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { CallAnswer, SessionAnswer } from "../../src/answers.ts";
import type { Answered } from "../data/answered.ts";
import { callParts } from "../figures/call-parts.ts";
import { differenceText } from "../figures/difference-text.ts";
import { reportedTokens } from "../figures/usage.ts";
import { Shown } from "../parts/states.tsx";
import { count, percent } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";
import { missLimits } from "../text/words.ts";

/** The provider's usage of a call beside our estimate, and its cache miss. The session has them. */
export function CallFigures({
  answer,
  session,
}: {
  readonly answer: CallAnswer;
  readonly session: Answered<SessionAnswer>;
}): JSX.Element {
  return (
    <section class="card" aria-labelledby="usage-title">
      <h2 id="usage-title">Tokens of the prompt</h2>
      <Shown answered={session} what="the session">
        {({ timeline }) => <Figures answer={answer} timeline={timeline} />}
      </Shown>
    </section>
  );
}

function Figures({
  answer,
  timeline,
}: {
  readonly answer: CallAnswer;
  readonly timeline: SessionAnswer["timeline"];
}): JSX.Element {
  const index = timeline.calls.findIndex(({ call }) => call === answer.call);
  const call = timeline.calls[index];
  const inPicture = useMemo(
    () =>
      index < 0
        ? undefined
        : callParts(timeline, index).reduce((sum, { tokens }) => sum + tokens, 0),
    [timeline, index],
  );
  const cost = call?.cost;
  const estimated = cost === undefined ? inPicture : cost.cached + cost.fresh;
  const isOther =
    estimated !== undefined &&
    inPicture !== undefined &&
    Math.round(estimated) !== Math.round(inPicture);
  const usage = call?.usage;
  const reported = usage === undefined ? undefined : reportedTokens(usage);
  const rows: readonly (readonly [string, number | undefined, number | undefined])[] = [
    ["Read from the cache", usage?.cacheRead, cost?.cached],
    ["Written to the cache", usage?.cacheWrite, undefined],
    ["Neither", usage?.input, undefined],
    ["New (written or neither)", usage && usage.input + usage.cacheWrite, cost?.fresh],
    ["All", reported, estimated],
  ];
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="table, scrolls sideways">
        <table>
          <caption>
            {reported === undefined || estimated === undefined
              ? "The provider reported no usage for this call."
              : differenceText(estimated, reported)}
          </caption>
          <thead>
            <tr>
              <th scope="col">Tokens</th>
              <th scope="col" class="number">
                Provider
              </th>
              <th scope="col" class="number">
                Our estimate{cost === undefined ? "" : " when it was sent"}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([title, byProvider, own]) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                <td class="number">
                  {byProvider === undefined
                    ? "–"
                    : `${count(byProvider)} (${percent(byProvider / Math.max(1, reported ?? 1))})`}
                </td>
                <td class="number">{own === undefined ? "–" : count(own)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isOther ? (
        <p class="quiet">
          The picture of the session has {count(inPicture)} tokens for this call, because it uses
          the newest calibration for all calls.
        </p>
      ) : null}
      {call?.miss === undefined || call.miss.tokens === 0 ? (
        <p>No cache miss worth naming: {missLimits.below}.</p>
      ) : (
        <p class="problem">
          ◆ Cache miss: {count(call.miss.tokens)} tokens that were sent before were billed as new (
          {call.miss.isReported ? "reported" : "estimated"}). {visibleText(call.miss.text)}
        </p>
      )}
    </>
  );
}
