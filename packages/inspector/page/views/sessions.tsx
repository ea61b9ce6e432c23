import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SessionRow, SessionsAnswer } from "../../src/answers.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { useInspector } from "../inspector.ts";
import { Bar } from "../parts/bar.tsx";
import { type Column, DataTable, numbers } from "../parts/data-table.tsx";
import { Name } from "../parts/name.tsx";
import { Shown } from "../parts/states.tsx";
import { linkTo } from "../route.ts";
import { percent, ratio, short, time } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";

/** The sessions of one page. */
const pageSize = 100;

/** The sessions of the store, the newest ones first, page by page. */
export function SessionsView(): JSX.Element {
  const { news } = useInspector();
  const [pages, setPages] = useState(1);
  const limit = pages * pageSize;
  const answered = useAnswer<SessionsAnswer>(
    pages === 1 ? paths.sessions : paths.sessionsUpTo(limit),
    news.value?.position,
  );
  return (
    <>
      <h1>Sessions</h1>
      <section class="card sessions" aria-label="Sessions">
        <Shown answered={answered} what="the sessions">
          {({ sessions, older = 0 }) => (
            <>
              <DataTable
                caption="Sessions in this store. Cost is as the provider reported, or else as estimated; 1.00 × is the estimated cost of the same work in the plain host. Tokens are those of the messages, estimated; the cached share is the provider's."
                columns={columns}
                rows={sessions}
                keyOf={({ id }) => id}
                shown={limit}
                empty="The store has no sessions yet. A session appears with the first message of an agent that uses this store."
                rowClass={({ problem }) => (problem === undefined ? undefined : "damaged")}
              />
              {older === 0 ? null : (
                <button type="button" onClick={() => setPages(pages + 1)}>
                  Show more of {older} older sessions
                </button>
              )}
            </>
          )}
        </Shown>
      </section>
    </>
  );
}

const columns: readonly Column<SessionRow>[] = [
  {
    title: "Session",
    cell: ({ id, hostId, harness, workspace, problem }) => (
      <>
        <a href={linkTo({ view: "session", session: id })}>
          <Name text={hostId === "" ? id : hostId} />
        </a>
        <div class="quiet">
          <Name text={harness} />
          {workspace === undefined ? null : (
            <>
              {" · "}
              <Name text={workspace} />
            </>
          )}
        </div>
        {problem === undefined ? null : <div class="problem">✕ {visibleText(problem)}</div>}
      </>
    ),
    order: ({ hostId }) => hostId,
  },
  {
    title: "Cost",
    isNumber: true,
    cell: ({ cost }) => {
      if (cost === undefined || cost.plainUnits === 0) return "–";
      const share = cost.units / cost.plainUnits;
      return (
        <span class="withbar">
          {ratio(share)}
          <Bar share={share} tone={share > 1 ? "bad" : "good"} />
        </span>
      );
    },
    order: ({ cost }) => (cost === undefined ? 0 : cost.units / Math.max(1, cost.plainUnits)),
  },
  numbers("Calls", ({ calls }) => calls),
  numbers(
    "Tokens, last call",
    ({ tokens }) => tokens,
    ({ tokens }) => short(tokens),
  ),
  {
    title: "Cached",
    isNumber: true,
    cell: ({ reported }) => {
      if (reported === undefined || reported.calls === 0) return "not reported";
      const { input, cacheRead, cacheWrite } = reported;
      return percent(cacheRead / (input + cacheRead + cacheWrite));
    },
  },
  { title: "Last call", cell: ({ lastAt }) => time(lastAt), order: ({ lastAt }) => lastAt },
];
