import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { CallAnswer, SessionAnswer } from "../../src/answers.ts";
import { leftObjects } from "../figures/left-objects.ts";
import { ObjectLink } from "../parts/object-link.tsx";
import { Difference } from "../parts/difference.tsx";
import { count, counted } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";
import { epochEndText } from "../text/words.ts";
import { LeftList } from "./left-list.tsx";

const sentences = {
  same: "No byte of the messages differs.",
  appended: "All messages of the call before come first, unchanged; the others are new.",
  shortened: "The messages are the beginning of those of the call before.",
  changed: "Messages of the call before changed.",
} as const;

/** What changed against the call before. */
export function CallChanges({
  answer,
  timeline,
}: {
  readonly answer: CallAnswer;
  readonly timeline: SessionAnswer | undefined;
}): JSX.Element {
  const { difference, epoch } = answer;
  const left = useMemo(
    () =>
      timeline !== undefined && epoch?.call === 1
        ? (leftObjects(timeline.timeline).get(answer.call) ?? [])
        : [],
    [timeline, answer, epoch],
  );
  const leftKeys = new Set(left.map(({ key }) => key));
  const title = <h2 id="change-title">Changes against the call before</h2>;
  if (difference === undefined)
    return (
      <section class="card" aria-labelledby="change-title">
        {title}
        <p class="quiet">
          {answer.call === 1
            ? "This is the first call."
            : "There is no call before, or it cannot be read."}
        </p>
      </section>
    );
  const { type, sharedMessages, first, versions, added, systemPrompts } = difference;
  const gone = difference.gone.filter((key) => !leftKeys.has(key));
  return (
    <section class="card" aria-labelledby="change-title">
      {title}
      <p>
        {sentences[type]} {counted(sharedMessages, "message")} at the beginning{" "}
        {sharedMessages === 1 ? "is" : "are"} the same.
        {epoch?.call === 1 && epoch.endedBy !== undefined
          ? ` An epoch ended before this call because ${epochEndText(epoch.endedBy)}.`
          : ""}
      </p>
      <ul class="changes">
        {systemPrompts.length === 0 ? null : (
          <li>System prompt with another version: {visibleText(systemPrompts.join(", "))}</li>
        )}
        {added.length === 0 ? null : (
          <li>
            Added: <Handles handles={added} timeline={timeline} />
          </li>
        )}
        {left.length === 0 ? null : (
          <li>
            Left the view when the epoch ended: {counted(left.length, "object")}
            <LeftList left={left} session={answer.session} shown={8} />
          </li>
        )}
        {gone.length === 0 ? null : (
          <li>
            Gone: <Handles handles={gone} timeline={timeline} />
          </li>
        )}
        {versions.map(({ handle, from, to }) => (
          <li key={handle}>
            Version {from} → {to}: <Handles handles={[handle]} timeline={timeline} />
          </li>
        ))}
      </ul>
      {first === undefined ? null : (
        <>
          <p>
            The first difference is in message {first.message + 1}, at byte {count(first.byte)} of
            it (byte {count(first.offset)} of all messages)
            {first.entries === undefined
              ? "."
              : visibleText(
                  `: ${first.entries.before.what}, ${first.entries.before.how}, became ${first.entries.after.what}, ${first.entries.after.how}.`,
                )}
          </p>
          <Difference
            before={first.before}
            after={first.after}
            label="the first difference, before and after"
          />
        </>
      )}
    </section>
  );
}

function Handles({
  handles,
  timeline,
}: {
  readonly handles: readonly string[];
  readonly timeline: SessionAnswer | undefined;
}): JSX.Element {
  return (
    <>
      {handles.slice(0, 40).map((key, index) => {
        // The arguments of a call are named by its handle and a suffix, such as `t31/args`.
        const [handle] = key.split("/");
        const part = timeline?.timeline.parts.find((one) => one.handle === handle);
        return (
          <span key={key}>
            {index > 0 ? ", " : ""}
            <span class="handle">{visibleText(key)}</span>{" "}
            {part === undefined ? null : <ObjectLink id={part.id} name={part.name} />}
          </span>
        );
      })}
      {handles.length > 40 ? ` and ${handles.length - 40} more` : ""}
    </>
  );
}
