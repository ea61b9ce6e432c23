import type { JSX } from "preact";
import type { InView, ObjectAnswer } from "../../src/answers.ts";
import { type Column, DataTable, numbers } from "../parts/data-table.tsx";
import { Name } from "../parts/name.tsx";
import { CallLink, VersionLink } from "../parts/object-link.tsx";
import { linkTo } from "../route.ts";
import { count, counted } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";

type Run = InView["runs"][number];

/** The calls in which the content of an object was in view, by session. */
export function ObjectInView({ answer }: { readonly answer: ObjectAnswer }): JSX.Element {
  return (
    <section class="card" aria-labelledby="inview-title">
      <h2 id="inview-title">In view</h2>
      {answer.inView.length === 0 ? (
        <p class="quiet">
          No call of the newest sessions that know this object showed its content.
        </p>
      ) : (
        answer.inView.map((inView) => (
          <InSession key={inView.session} id={answer.id} inView={inView} />
        ))
      )}
    </section>
  );
}

function InSession({ id, inView }: { readonly id: string; readonly inView: InView }): JSX.Element {
  const { session, sessionName, calls: all, handle, runs } = inView;
  const part = handle === "" ? undefined : handle;
  const calls = runs.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const callLink = (call: number): JSX.Element => (
    <CallLink session={session} call={call} part={part} />
  );
  const columns: readonly Column<Run>[] = [
    numbers(
      "From call",
      ({ from }) => from,
      ({ from }) => callLink(from),
    ),
    numbers(
      "To call",
      ({ to }) => to,
      ({ to }) => callLink(to),
    ),
    numbers(
      "Version",
      ({ version }) => version,
      ({ version }) => (version === 0 ? "–" : <VersionLink id={id} version={version} />),
    ),
  ];
  return (
    <>
      <h3>
        <a href={linkTo({ view: "session", session })}>
          <Name text={sessionName === "" ? session : sessionName} />
        </a>
        {part === undefined ? null : (
          <>
            {" as "}
            <span class="handle">{visibleText(part)}</span>
          </>
        )}
        , in {counted(calls, "call")} of {count(all)}
      </h3>
      <Strip runs={runs} calls={all} />
      <DataTable
        caption="Runs of calls that showed the same version"
        columns={columns}
        rows={runs}
        keyOf={({ from }) => from}
        shown={6}
        empty="none"
      />
    </>
  );
}

/** A small picture of the runs over all calls of the session. */
function Strip({
  runs,
  calls,
}: {
  readonly runs: readonly Run[];
  readonly calls: number;
}): JSX.Element {
  const last = Math.max(1, calls);
  return (
    <div class="strip">
      <svg viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="1000" height="14" />
        {runs.map(({ from, to }) => (
          <rect
            key={from}
            class="fill"
            x={((from - 1) / last) * 1000}
            width={Math.max(2, ((to - from + 1) / last) * 1000)}
            height="14"
          />
        ))}
      </svg>
      <div class="quiet ends">
        <span>call 1</span>
        <span>call {last}</span>
      </div>
    </div>
  );
}
