import type { RunRecord } from "../model/run-record.ts";
import { counted, exact } from "./amounts.ts";
import { armTables } from "./arm-tables.ts";
import { caveats } from "./caveats.ts";
import { costPlot } from "./cost-plot.ts";
import type { EvaluationTable } from "./evaluation-table.ts";
import { html, type Html, noHtml } from "./html.ts";
import { htmlPage, tiles } from "./html-page.ts";
import { htmlTable } from "./html-table.ts";
import { type ArmSummary, summarySentences } from "./summary-sentences.ts";
import { failureSection, leftOutSection, taskSection } from "./run-tables.ts";

export interface EvaluationPageOptions {
  /** The address of a run's own page, if it has one. */
  readonly links?: (record: RunRecord) => string | undefined;
}

/**
 * The results as one HTML page that loads nothing and needs no script. Texts of runs, such as evidence, are untrusted:
 * they are shown, and never become markup.
 */
export function evaluationPage(
  table: EvaluationTable,
  options: EvaluationPageOptions = {},
): string {
  const { links = () => undefined } = options;
  const { plan } = table;
  const [baseline, ...others] = plan.arms;
  const names = others.map(({ name }) => name);
  const compared = names.length > 3 ? counted(names.length, "arm") : names.join(", ");
  return htmlPage({
    title:
      names.length === 0
        ? `Evaluation of ${baseline?.name ?? "no arm"}`
        : `Evaluation: ${compared} against ${baseline?.name ?? "no baseline"}`,
    lead: html`<p class="lead">
      ${plan.model} in ${plan.host}, with version ${plan.version} of the context manager:
      ${counted(plan.arms.length, "arm")} × ${counted(plan.tasks.length, "task")} ×
      ${counted(plan.seeds.length, "seed")}.
    </p>`,
    body: html`${planTiles(table)}${summarySection(table)}${costPlot(table)}${armTables(table)}${taskSection(table, links)}${failureSection(table, links)}${leftOutSection(table, links)}${protocolSection(table)}`,
    foot: `Made by scm evaluate from the results of the plan ${table.planHash}.`,
  });
}

function planTiles({ plan, planHash, preregistered, results, planned }: EvaluationTable): Html {
  return tiles([
    ["Results", `${results} of ${counted(planned, "run")}`],
    ["Margin", `${exact(plan.margin * 100)} percentage points`],
    ["Intervals", `${exact(plan.confidence * 100)} %`],
    ["Plan", html`<abbr title="${planHash}">${planHash.slice(0, 16)}</abbr>`],
    [
      "Preregistered",
      preregistered === undefined ? "no" : html`yes<small>${preregistered}</small>`,
    ],
  ]);
}

function summarySection(table: EvaluationTable): Html {
  const summaries = summarySentences(table);
  if (summaries.length === 0) return noHtml;
  return html`<section aria-labelledby="results">
    <h2 id="results">Results</h2>
    <div class="answers">${summaries.map(answerBox)}</div>
  </section> `;
}

function answerBox({ arm, answer, verdict, sentences }: ArmSummary): Html {
  return html`<article class="answer ${answer ?? ""}">
    <h3>${arm} <span class="badge">${verdict}</span></h3>
    ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
  </article> `;
}

function protocolSection(table: EvaluationTable): Html {
  const { plan, planHash } = table;
  return html`<section aria-labelledby="protocol">
    <h2 id="protocol">Protocol and limits</h2>
    <ul>
      ${caveats(table).map((caveat) => html`<li>${caveat}</li> `)}
    </ul>
    <p class="break">
      Plan ${planHash}, version ${plan.protocol} of the protocol, seeds ${plan.seeds.join(", ")}.
    </p>
    ${htmlTable({
      caption: "The arms as the plan defines them. The first is the baseline.",
      head: ["Arm", "Meaning", "Managed context", "Settings"],
      numbers: [],
      rows: plan.arms.map((arm) => [
        arm.name,
        arm.title,
        arm.isManaged ? "yes" : "no",
        html`${settingsOf(arm).map((setting) => html`<code class="evidence">${setting}</code>`)}`,
      ]),
    })}
  </section> `;
}

function settingsOf(arm: EvaluationTable["plan"]["arms"][number]): readonly string[] {
  return [
    ...Object.entries(arm.environment).map(([name, value]) => `${name}=${value}`),
    ...(arm.withoutTools ?? []).map((name) => `without the tool ${name}`),
    ...(arm.compactsAt === undefined ? [] : [`the host compacts at ${arm.compactsAt} tokens`]),
    ...(arm.extension === undefined ? [] : [`extension ${arm.extension}`]),
  ];
}
