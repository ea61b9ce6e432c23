import { counted, figure, percent } from "./amounts.ts";
import { html, type Html, noHtml } from "./html.ts";
import { htmlPage, tiles } from "./html-page.ts";
import { htmlTable } from "./html-table.ts";
import {
  type MissName,
  type ReplayFigures,
  replayFigures,
  type ReplayProfile,
  type ReplayStrategy,
} from "./replay-figures.ts";
import { type PlotPoint, scatterPlot } from "./scatter-plot.ts";

/**
 * The figures of a replay as one HTML page, with the parts of the page of an evaluation. `json` is the parsed output of
 * `scm replay --json`. Throws `EvaluateError` with `EVALUATE_FILE` if it is something else.
 */
export function replayPage(json: unknown): string {
  const figures = replayFigures(json);
  const { corpus, time, storeRatio } = figures;
  return htmlPage({
    title: `Replay of ${counted(corpus.sessions, "recorded session")}`,
    lead: html`<p class="lead">
      The prompts of recorded sessions under each strategy, without a model: the billed input, and
      whether later messages quote what was no longer shown.
    </p>`,
    body: html`${tiles([
      ["Sessions", corpus.sessions.toLocaleString("en-US")],
      ["Model calls", corpus.calls.toLocaleString("en-US")],
      ["Tokens", corpus.tokens.toLocaleString("en-US")],
      [
        "Time of a call",
        html`${figure(time.p50)} ms<small>median; 95 %: ${figure(time.p95)} ms</small>`,
      ],
      ["Store over transcript", figure(storeRatio)],
    ])}${plotSection(figures)}${figures.profiles.slice(0, 1).map(missSection)}${costSection(figures)}${limitSection(figures)}`,
    foot: "Made from the output of scm replay --json.",
  });
}

/** The strategy of a host that keeps everything, with which the costs of all others are compared. */
const baseline = "append-only";

/** The pooled layout costs several times as much as the others, so that its point would compress the scale. */
const mostCost = 1.6;

function plotSection({ profiles }: ReplayFigures): Html {
  const [profile] = profiles;
  if (profile === undefined) return noHtml;
  const points = profile.strategies.map(({ name, costRatio, evidenceMiss }): PlotPoint => ({
    name,
    kind: name === baseline ? "baseline" : /^(?:epoch|pooled)/u.test(name) ? "managed" : "other",
    x: { value: costRatio },
    y: { value: evidenceMiss },
  }));
  return html`<section aria-labelledby="plot">
    <h2 id="plot">Cost and missed evidence</h2>
    <figure>
      ${scatterPlot({
        title: `Share of messages that miss evidence by cost, for each strategy under price profile ${profile.name}; the figures are in the tables below`,
        points,
        across: {
          label: `cost over ${baseline}`,
          show: (value) => String(Number(value.toFixed(2))),
          most: mostCost,
        },
        up: {
          label: "messages that miss what they quote",
          show: (value) => `${Number((value * 100).toFixed(1))} %`,
        },
      })}
      <figcaption>
        Price profile ${profile.name}. Better is lower and further left. There are no intervals: the
        figures describe these recordings and estimate nothing. Square: everything is kept. Filled:
        managed context. Ring: other strategies.
      </figcaption>
    </figure>
  </section> `;
}

const missColumns: readonly (readonly [name: MissName, label: string])[] = [
  ["evidenceMiss", "Evidence missed"],
  ["evidenceMissPlus", "With arguments"],
  ["sharpMiss", "Sharp evidence"],
  ["sharpMissPlus", "Sharp, with arguments"],
  ["gramMiss", "8-grams"],
  ["talkMiss", "Talk"],
  ["talkSharpMiss", "Sharp talk"],
];

function missSection({ name, strategies }: ReplayProfile): Html {
  return html`<section aria-labelledby="strategies">
    <h2 id="strategies">Strategies</h2>
    ${htmlTable({
      caption: `Price profile ${name}: billed input over that of ${baseline}. Charged: the model fetches missed evidence again, whole, only the lines, or with missed talk.`,
      head: [
        "Strategy",
        "Cost",
        "Charged",
        "Charged by lines",
        "Charged with talk",
        "Median session",
        "Worst session",
        "Cache hits",
        "Tokens of a prompt",
        "Longest prompt",
        "Epochs",
      ],
      rows: strategies.map((strategy) => [
        strategy.name,
        figure(strategy.costRatio),
        figure(strategy.chargedCostRatio),
        figure(strategy.chargedByRangeRatio),
        figure(strategy.chargedWithTalkRatio),
        figure(strategy.median),
        strategy.worst === undefined ? "none" : figure(strategy.worst),
        percent(strategy.prefixHit),
        Math.round(strategy.meanTokens).toLocaleString("en-US"),
        Math.round(strategy.peakTokens).toLocaleString("en-US"),
        figure(strategy.epochs),
      ]),
    })}
    ${htmlTable({
      caption:
        "Messages that quote what was not in view, of those that quote such text; for 8-grams, the share of them.",
      head: ["Strategy", ...missColumns.map(([, label]) => label)],
      rows: strategies.map((strategy) => [
        strategy.name,
        ...missColumns.map(([miss]) => missCell(strategy, miss)),
      ]),
    })}
  </section> `;
}

function missCell(strategy: ReplayStrategy, miss: MissName): Html {
  const of = strategy.counted[miss];
  // A share of nothing is 0 in the JSON.
  if (of === 0) return html`none`;
  return html`${percent(strategy[miss])}<small>of ${of.toLocaleString("en-US")}</small>`;
}

function costSection({ profiles }: ReplayFigures): Html {
  const [first] = profiles;
  if (first === undefined || profiles.length < 2) return noHtml;
  return html`<section aria-labelledby="profiles">
    <h2 id="profiles">Price profiles</h2>
    ${htmlTable({
      caption: `Billed input over that of ${baseline}, by price profile. Variants are measured under some profiles only.`,
      head: ["Strategy", ...profiles.map(({ name }) => name)],
      rows: first.strategies.map(({ name }) => [
        name,
        ...profiles.map(({ strategies }) => {
          const found = strategies.find((strategy) => strategy.name === name);
          return found === undefined ? "" : figure(found.costRatio);
        }),
      ]),
    })}
  </section> `;
}

function limitSection({ corpus }: ReplayFigures): Html {
  return html`<section aria-labelledby="limits">
    <h2 id="limits">What the figures cannot show</h2>
    <ul>
      <li>
        The recorded agent saw everything, so that it does not react to text that a strategy
        removes. An evaluation with a model shows whether tasks are still solved.
      </li>
      <li>
        Evidence is quotation: text that a model read and did not quote is not counted, so that
        strategies that shorten outputs look better than they are.
      </li>
      <li>The cost is billed input. Output is not included.</li>
      <li>
        The figures are of ${counted(corpus.segments, "segment")} of these
        ${counted(corpus.sessions, "session")} and are no sample of anybody else's work.
      </li>
    </ul>
  </section> `;
}
