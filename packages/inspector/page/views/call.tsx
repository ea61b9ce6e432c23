import type { JSX } from "preact";
import type { CallAnswer, SessionAnswer } from "../../src/answers.ts";
import type { Answered } from "../data/answered.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { useSession } from "../data/use-session.ts";
import { useSnapshot } from "../inspector.ts";
import { Copied } from "../parts/copied.tsx";
import { Name } from "../parts/name.tsx";
import { Shown } from "../parts/states.tsx";
import { linkTo } from "../route.ts";
import { time } from "../text/format.ts";
import { CallChanges } from "./call-changes.tsx";
import { CallFigures } from "./call-figures.tsx";
import { CallDamage } from "./damage.tsx";
import { Messages } from "./messages.tsx";

/** A call: the messages exactly as they were sent. */
export function CallView({
  session,
  call,
  part,
}: {
  readonly session: string;
  readonly call: number;
  readonly part: string | undefined;
}): JSX.Element {
  const answered = useAnswer<CallAnswer>(paths.call(session, call));
  const timeline = useSession(session);
  return (
    <>
      <Heading session={session} call={call} timeline={timeline} />
      <Shown answered={answered} what={`call ${call}`}>
        {(answer) => <CallPage answer={answer} answered={timeline} part={part} />}
      </Shown>
    </>
  );
}

function doneOrUndefined(answered: Answered<SessionAnswer>): SessionAnswer | undefined {
  return answered.state === "done" ? answered.value : undefined;
}

function Heading({
  session,
  call,
  timeline,
}: {
  readonly session: string;
  readonly call: number;
  readonly timeline: Answered<SessionAnswer>;
}): JSX.Element {
  const answer = doneOrUndefined(timeline);
  const last = answer?.timeline.calls.at(-1)?.call;
  const first = answer?.timeline.calls[0]?.call ?? 1;
  return (
    <>
      <p class="path">
        <a href={linkTo({ view: "sessions" })}>Sessions</a> /{" "}
        <a href={linkTo({ view: "session", session, call })}>
          <Name text={answer?.session.hostId ?? session} />
        </a>{" "}
        /
      </p>
      <div class="cardhead">
        <h1>Call {call}</h1>
        <nav aria-label="other calls">
          {call > first ? (
            <a class="button" href={linkTo({ view: "call", session, call: call - 1 })}>
              ← Call {call - 1}
            </a>
          ) : null}{" "}
          {last === undefined || call < last ? (
            <a class="button" href={linkTo({ view: "call", session, call: call + 1 })}>
              Call {call + 1} →
            </a>
          ) : null}
        </nav>
      </div>
    </>
  );
}

function CallPage({
  answer,
  answered,
  part,
}: {
  readonly answer: CallAnswer;
  readonly answered: Answered<SessionAnswer>;
  readonly part: string | undefined;
}): JSX.Element {
  const timeline = doneOrUndefined(answered);
  const { isVerified, problems, at, layout, payloadHash } = answer;
  const model = timeline?.timeline.calls.find(({ call }) => call === answer.call)?.model;
  const isRedacted = useSnapshot()?.isRedacted === true;
  return (
    <>
      {isVerified ? (
        <p class="notice good">
          <strong>✓ Verified.</strong> The messages {isRedacted ? "" : "below "}were rebuilt from
          the store, and their hash is the one that was stored before they were sent.
          {isRedacted ? " Then their texts were removed for this snapshot." : ""}
        </p>
      ) : (
        <CallDamage problems={problems} answer={timeline} />
      )}
      <p class="quiet">
        stored {time(at.tx_time)} in transaction {at.tx_id} · layout <Name text={layout} />
        {model === undefined ? null : (
          <>
            {" · model "}
            <Name text={model} />
          </>
        )}
        {payloadHash === undefined ? null : (
          <>
            {" · payload "}
            <Copied value={payloadHash} label="hash of the payload" />
          </>
        )}
      </p>
      <div class="pair">
        <CallFigures answer={answer} session={answered} />
        <CallChanges answer={answer} timeline={timeline} />
      </div>
      <Messages
        key={`${answer.session} ${answer.call}`}
        answer={answer}
        timeline={timeline}
        part={part}
      />
    </>
  );
}
