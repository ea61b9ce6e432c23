import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SessionAnswer } from "../../src/answers.ts";
import { useSession } from "../data/use-session.ts";
import { goTo, renameAddress } from "../inspector.ts";
import { Name } from "../parts/name.tsx";
import { Damage, Shown } from "../parts/states.tsx";
import { zoomed } from "../pictures/axis.ts";
import { Overview } from "../pictures/overview.tsx";
import { callTotals, type CallRange } from "../pictures/stack.ts";
import { type Selection, TokenPicture } from "../pictures/token-picture.tsx";
import { linkTo } from "../route.ts";
import { time } from "../text/format.ts";
import { CallPanel } from "./call-panel.tsx";
import { SessionDamage } from "./damage.tsx";
import { Glossary } from "./glossary.tsx";
import { GoToCall } from "./go-to-call.tsx";
import { Legend } from "./legend.tsx";
import { SessionFigures } from "./session-figures.tsx";
import { SessionTables } from "./session-tables.tsx";

const zooms = [
  { sign: "+", label: "zoom in", factor: 0.5 },
  { sign: "−", label: "zoom out", factor: 2 },
] as const;

/** A session: what filled the window, what was cached, what it cost. */
export function SessionView({
  id,
  call,
}: {
  readonly id: string;
  readonly call: number | undefined;
}): JSX.Element {
  const answered = useSession(id);
  return (
    <>
      <p class="path">
        <a href={linkTo({ view: "sessions" })}>Sessions</a> /
      </p>
      {answered.state === "done" ? null : <h1>Session</h1>}
      <Shown answered={answered} what="the session">
        {(answer) => <SessionPage key={id} answer={answer} call={call} />}
      </Shown>
    </>
  );
}

function SessionPage({
  answer,
  call,
}: {
  readonly answer: SessionAnswer;
  readonly call: number | undefined;
}): JSX.Element {
  const { session, timeline } = answer;
  const { calls } = timeline;
  const indexOf = (number: number): number => {
    const found = calls.findIndex((one) => one.call >= number);
    return found < 0 ? calls.length - 1 : found;
  };
  const [selected, select] = useState<Selection | undefined>(
    call === undefined ? undefined : { index: indexOf(call) },
  );
  const [chosen, choose] = useState<CallRange>();
  const all = { from: 0, to: calls.length };
  const range = chosen ?? all;
  const selection = selected ?? { index: calls.length - 1 };
  const totals = useMemo(() => callTotals(timeline), [timeline]);

  // The address names the selected call, so that a link to the page and the way back show it again.
  const number = selected === undefined ? undefined : calls[selected.index]?.call;
  useEffect(() => {
    if (number === undefined) return;
    renameAddress({ view: "session", session: session.id, call: number });
  }, [number, session.id]);

  // A link within the page can name another call.
  useEffect(() => {
    if (call !== undefined) select({ index: indexOf(call) });
  }, [call]);

  const setRange = ({ from, to }: CallRange): void =>
    choose(from <= 0 && to >= calls.length ? undefined : { from, to });
  const go = (wanted: number): void => {
    const index = indexOf(wanted);
    if (index < range.from || index >= range.to)
      setRange(zoomed(range, calls.length, { at: index, factor: 1 }));
    select({ index });
  };
  const open = ({ index, parts }: Selection): void => {
    const id = parts?.length === 1 ? timeline.parts[parts[0] ?? -1]?.id : undefined;
    const at = calls[index]?.call;
    if (id !== undefined) goTo({ view: "object", id });
    else if (at !== undefined) goTo({ view: "call", session: session.id, call: at });
  };

  return (
    <>
      <h1>
        <Name text={session.hostId === "" ? session.id : session.hostId} />
      </h1>
      <p class="quiet">
        <Name text={session.harness} />
        {session.workspace === undefined ? null : (
          <>
            {" · "}
            <Name text={session.workspace} />
          </>
        )}
        {` · ${time(session.firstAt)} to ${time(session.lastAt)}`}
      </p>
      {session.problem === undefined ? null : (
        <Damage title="This session is damaged" problems={[session.problem]} />
      )}
      {calls.length === 0 ? (
        <p class="notice">
          This session has no calls yet. The picture appears with the first call.
        </p>
      ) : (
        <>
          <SessionDamage answer={answer} />
          <SessionFigures answer={answer} totals={totals} />
          <section class="main" aria-labelledby="picture-title">
            <div class="card">
              <div class="cardhead">
                <h2 id="picture-title">Tokens by object over calls</h2>
                <GoToCall first={calls[0]?.call ?? 1} last={calls.at(-1)?.call ?? 1} onGo={go} />
                <div class="zoom" role="group" aria-label="zoom">
                  {zooms.map(({ sign, label, factor }) => (
                    <button
                      key={label}
                      type="button"
                      class="small"
                      aria-label={label}
                      onClick={() =>
                        setRange(zoomed(range, calls.length, { at: selection.index, factor }))
                      }
                    >
                      {sign}
                    </button>
                  ))}
                  <button type="button" class="small" onClick={() => choose(undefined)}>
                    All calls
                  </button>
                </div>
              </div>
              <Legend timeline={timeline} />
              <TokenPicture
                answer={answer}
                range={range}
                selection={selection}
                onRange={setRange}
                onSelect={select}
                onOpen={open}
              />
              {calls.length > 30 ? (
                <Overview totals={totals} range={range} onRange={setRange} />
              ) : null}
              <p class="quiet hint">
                Click selects a call and a part, a second click opens it. With the keyboard: arrow
                keys, Enter, + and −. Drag in the small picture to zoom.
              </p>
            </div>
            <CallPanel answer={answer} selection={selection} onGo={go} />
          </section>
          <SessionTables answer={answer} totals={totals} onGo={go} />
          <Glossary />
        </>
      )}
    </>
  );
}
