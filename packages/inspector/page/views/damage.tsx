import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CallProblem, DamageAnswer, SessionAnswer } from "../../src/answers.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { callRuns } from "../figures/call-runs.ts";
import { CallLink, ObjectLink } from "../parts/object-link.tsx";
import { Shown } from "../parts/states.tsx";
import { count, counted } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";

/** Sessions with more calls are verified only when the reader asks for it, because that takes a while. */
const mostUnasked = 1_000;

/** Runs of damaged calls that a line names. */
const mostNamed = 20;

/** A line that says which calls of a session differ from what was sent. */
export function SessionDamage({ answer }: { readonly answer: SessionAnswer }): JSX.Element {
  const { session, timeline } = answer;
  const calls = timeline.calls.length;
  const [asked, ask] = useState(calls <= mostUnasked ? 1 : 0);
  return asked > 0 ? (
    <Verified session={session.id} calls={calls} asked={asked} onAsk={() => ask(asked + 1)} />
  ) : (
    <p class="quiet">
      <VerifyButton onAsk={() => ask(1)} /> rebuilds {counted(calls, "call")} and compares them with
      what was sent.
    </p>
  );
}

function VerifyButton({ onAsk }: { readonly onAsk: () => void }): JSX.Element {
  return (
    <button type="button" class="small" onClick={onAsk}>
      Verify all calls
    </button>
  );
}

/** A session that goes on is verified again only when the reader asks for it, not with each new call. */
function Verified({
  session,
  calls,
  asked,
  onAsk,
}: {
  readonly session: string;
  readonly calls: number;
  readonly asked: number;
  readonly onAsk: () => void;
}): JSX.Element {
  const answered = useAnswer<DamageAnswer>(paths.damage(session), asked);
  return (
    <Shown answered={answered} what="and verifying all calls">
      {(found) => (
        <>
          <Found session={session} found={found} />
          {calls > found.calls ? (
            <p class="quiet">
              {counted(calls - found.calls, "call")} came after that. <VerifyButton onAsk={onAsk} />
            </p>
          ) : null}
        </>
      )}
    </Shown>
  );
}

function Found({
  session,
  found: { calls, damaged },
}: {
  readonly session: string;
  readonly found: DamageAnswer;
}): JSX.Element {
  if (damaged.length === 0)
    return (
      <p class="quiet">
        {calls === 1 ? "✓ The only call is verified" : `✓ All ${count(calls)} calls are verified`}:
        rebuilt, and equal to what was sent.
      </p>
    );
  const runs = callRuns(damaged.map(({ call }) => call));
  const named = runs.slice(0, mostNamed);
  const more = runs.slice(mostNamed).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const others = calls - damaged.length;
  return (
    <p class="problem" role="alert">
      ✕ <strong>Damaged:</strong> {damaged.length === 1 ? "call" : "calls"}{" "}
      {named.map(({ from, to }, index) => (
        <span key={from}>
          {index === 0 ? "" : ", "}
          <CallLink session={session} call={from} />
          {to === from ? null : (
            <>
              {to === from + 1 ? ", " : " to "}
              <CallLink session={session} call={to} />
            </>
          )}
        </span>
      ))}
      {more === 0 ? "" : ` and ${count(more)} more`}.
      {others === 0
        ? ""
        : ` The other ${counted(others, "call")} of ${count(calls)} ${others === 1 ? "is" : "are"} verified.`}
    </p>
  );
}

/** The problems of a call, each with a link to the object that is damaged. */
export function CallDamage({
  problems,
  answer,
}: {
  readonly problems: readonly CallProblem[];
  readonly answer: SessionAnswer | undefined;
}): JSX.Element {
  const names = new Map(
    (answer?.timeline.parts ?? []).flatMap(({ id, name }) =>
      id === undefined ? [] : [[id, name] as const],
    ),
  );
  return (
    <div class="notice bad">
      <p>
        <strong>✕ This view is damaged: it may differ from what was sent</strong>
      </p>
      <ul>
        {problems.map(({ text, id, version }) => (
          <li key={text}>
            {id === undefined ? null : (
              <>
                <ObjectLink id={id} name={names.get(id) ?? id} {...versionOf(version)} />
                {": "}
              </>
            )}
            {visibleText(text)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function versionOf(version: number | undefined): { readonly version?: number } {
  return version === undefined ? {} : { version };
}
