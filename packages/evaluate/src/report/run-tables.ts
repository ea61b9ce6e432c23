import type { RunRecord } from "../model/run-record.ts";
import { amount, counted, figure } from "./amounts.ts";
import type { EvaluationTable, TaskFigures } from "./evaluation-table.ts";
import { breakable, html, type Html, linkTo, noHtml } from "./html.ts";
import { htmlTable } from "./html-table.ts";

type Links = (record: RunRecord) => string | undefined;

/** Every task with its runs. Counts of single tasks are no estimates, so that they have no intervals. */
export function taskSection({ tasks, plan }: EvaluationTable, links: Links): Html {
  return html`<section aria-labelledby="tasks">
    <h2 id="tasks">Tasks</h2>
    ${htmlTable({
      caption:
        "Each run of each task, in the order of seeds: ✓ solved, ✗ not solved. Below, the means of the runs of this task; they are counts of what happened and not estimates.",
      head: ["Task", ...plan.arms.map(({ name }) => name)],
      rows: tasks.map((task) => [
        html`${breakable(task.name)}<small>${task.title}</small>`,
        ...task.arms.map((arm) => armCell(arm, links)),
      ]),
    })}
  </section> `;
}

function armCell({ runs, dollars, calls }: TaskFigures["arms"][number], links: Links): Html {
  if (runs.length === 0) return html`no result`;
  const cost = [
    ...(dollars === undefined ? [] : [amount(dollars, "dollars")]),
    ...(calls === undefined ? [] : [`${figure(calls)} calls`]),
  ];
  return html`<span class="runs">${runs.map((run) => runMark(run, links))}</span
    ><small>${cost.join(", ")}</small>`;
}

function runMark(record: RunRecord, links: Links): Html {
  const { isSolved, arm, task, seed } = record;
  const text = isSolved ? "solved" : "not solved";
  const label = `${arm}, ${task}, seed ${seed}: ${text}`;
  const sign = html`<span class="${isSolved ? "solved" : "failed"}" aria-hidden="true"
    >${isSolved ? "✓" : "✗"}</span
  >`;
  const address = links(record);
  return address === undefined
    ? html`<span role="img" aria-label="${label}" title="seed ${seed}: ${text}">${sign}</span>`
    : linkTo(address, sign, label);
}

/** Failures by kind, and each of them with its evidence. */
export function failureSection(table: EvaluationTable, links: Links): Html {
  const { arms, failures } = table;
  if (failures.length === 0) return noHtml;
  const kinds = [...new Set(failures.map(({ failure }) => failure.kind))].toSorted();
  return html`<section aria-labelledby="failures">
    <h2 id="failures">Failures</h2>
    ${htmlTable({
      caption: "Runs that were not solved, by the kind of failure.",
      head: ["Arm", ...kinds.map((kind) => kind.replaceAll("-", " ")), "All"],
      rows: arms.map(({ name, runs, solved, failures: counts }) => [
        name,
        ...kinds.map((kind) => counts[kind] ?? 0),
        runs - solved,
      ]),
    })}${arms.map(({ name }) => failuresOf(table, name, links))}
  </section> `;
}

function failuresOf({ failures }: EvaluationTable, arm: string, links: Links): Html {
  const own = failures.filter(({ record }) => record.arm === arm);
  if (own.length === 0) return noHtml;
  return html`<details>
    <summary>${arm}: ${counted(own.length, "run")} not solved</summary>
    ${htmlTable({
      caption: `Failures of ${arm}, with the line that shows each.`,
      head: ["Task", "Seed", "Kind", "Evidence"],
      numbers: [1],
      rows: own.map(({ record, failure }) => [
        linkTo(links(record), record.task, `${record.task}, seed ${record.seed}: page of the run`),
        record.seed,
        html`${failure.kind.replaceAll("-", " ")}${failure.step === undefined ? noHtml : html`<small>step ${failure.step}</small>`}`,
        html`<code class="evidence">${failure.evidence}</code>`,
      ]),
    })}
  </details> `;
}

/** Runs that are no results, and runs of the plan that are missing. */
export function leftOutSection({ excluded, missing }: EvaluationTable, links: Links): Html {
  if (excluded.length + missing.length === 0) return noHtml;
  const byArm = Map.groupBy(missing, ({ arm }) => arm);
  return html`<section aria-labelledby="left-out">
    <h2 id="left-out">Runs without a result</h2>
    <p>They are in no figure of this page.</p>
    ${htmlTable({
      caption: "Runs that were done and are no results.",
      head: ["Arm", "Task", "Seed", "Reason"],
      numbers: [2],
      rows: excluded.map(({ record, reason }) => [
        record.arm,
        linkTo(links(record), record.task, `${record.task}, seed ${record.seed}: page of the run`),
        record.seed,
        html`<span class="evidence">${reason}</span>`,
      ]),
    })}${htmlTable({
      caption: "Runs of the plan without a result, those above included.",
      head: ["Arm", "Number", "Tasks and seeds"],
      numbers: [1],
      rows: [...byArm].map(([arm, runs]) => [
        arm,
        runs.length,
        html`<details>
          <summary>show</summary>
          ${runs.map(({ task, seed }) => `${task} (seed ${seed})`).join(", ")}
        </details>`,
      ]),
    })}
  </section> `;
}
