import type { TimelineCall } from "@self-context-manager/core/inspect";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { CallAnswer, SessionAnswer } from "../../src/answers.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { type CachedBoundary, cachedBoundary } from "../figures/cached-boundary.ts";
import { sentAgain } from "../figures/sent-again.ts";
import { LongText } from "../parts/long-text.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { count, counted, percent } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";
import { Message, type MessageAge } from "./message.tsx";
import { ObjectsOfCall } from "./objects-of-call.tsx";

/** Messages that are drawn at first; a button adds as many. */
const step = 100;

/** The system prompts and messages of a call. Those that the call before has too are folded. */
export function Messages({
  answer,
  timeline,
  part,
}: {
  readonly answer: CallAnswer;
  readonly timeline: SessionAnswer | undefined;
  readonly part: string | undefined;
}): JSX.Element {
  const { messages, systemPrompts } = answer;
  const wanted = messages.findIndex(({ parts }) => parts.some(({ handle }) => handle === part));
  const shared = messages.findIndex(({ isShared }) => !isShared);
  const folded = shared < 0 ? messages.length : shared;
  const [isOpen, setOpen] = useState(wanted >= 0 && wanted < folded);
  const [limit, setLimit] = useState(Math.max(step, wanted + 20));
  const boundary = useMemo(() => boundaryOf(answer, timeline), [answer, timeline]);
  const names = useMemo(
    () =>
      new Map(
        (timeline?.timeline.parts ?? []).flatMap(({ handle, name }) =>
          handle === undefined ? [] : [[handle, name] as const],
        ),
      ),
    [timeline],
  );
  // Only behind a change can messages of the call before be sent again.
  const hasChange = answer.difference?.type === "changed" && answer.call > 1;
  const before = useAnswer<CallAnswer>(
    hasChange ? paths.call(answer.session, answer.call - 1) : undefined,
  );
  const again = useMemo(
    () => (before.state === "done" ? sentAgain(messages, before.value.messages) : undefined),
    [before, messages],
  );
  const ageOf = (index: number): MessageAge => {
    if (messages[index]?.isShared === true) return "shared";
    if (!hasChange) return "new";
    if (again === undefined) return "changed";
    return again.has(index) ? "again" : "new";
  };
  const start = isOpen ? 0 : folded;
  const isCut = start + limit < messages.length;

  const scrollTo = (message: number): void => {
    if (message < folded) setOpen(true);
    setLimit((now) => Math.max(now, message + 20));
    // The message exists only after the view has been drawn again.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        document.querySelector(`#message-${message + 1}`)?.scrollIntoView(),
      ),
    );
  };
  useEffect(() => {
    if (wanted >= 0) scrollTo(wanted);
  }, [wanted]);

  return (
    <section aria-labelledby="messages-title">
      <h2 id="messages-title">Messages as sent</h2>
      <ObjectsOfCall messages={messages} names={names} onShow={scrollTo} />
      {part !== undefined && wanted < 0 ? (
        <p class="notice">
          The object {visibleText(part)} has no content of its own in this call; only a line names
          it, or it is not there.
        </p>
      ) : null}
      {usageOf(answer, timeline)?.cacheRead === 0 ? (
        <p class="boundary">
          <span>The provider read nothing of this call from its cache.</span>
        </p>
      ) : null}
      {systemPrompts.map(({ origin, id, version, text, isShared }) => (
        <details class="message system" key={origin} open={!isShared}>
          <summary>
            <strong>system prompt</strong> <span class="tag">{visibleText(origin)}</span>
            {isShared ? (
              <span class="tag">as in the call before</span>
            ) : (
              <span class="tag new">new</span>
            )}
          </summary>
          <p class="quiet">
            <ObjectLink id={id} name={`version ${version}`} version={version} />
          </p>
          <LongText text={text} label={`system prompt, ${origin}`} />
        </details>
      ))}
      {folded > 0 ? (
        <p class="folded">
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Fold" : "Show"} {counted(folded, "message")} that the call before has too
          </button>
          {!isOpen && boundary !== undefined && boundary.messages < folded ? (
            <span class="quiet"> The end of the cached part is among them.</span>
          ) : null}
        </p>
      ) : null}
      <ol class="messages" start={start + 1}>
        {messages.slice(start, start + limit).map((message, place) => {
          const index = start + place;
          return (
            <li key={`${index} ${message.hash}`}>
              {boundary?.messages === index ? <Boundary boundary={boundary} /> : null}
              <Message
                message={message}
                number={index + 1}
                names={names}
                isWanted={index === wanted}
                age={ageOf(index)}
              />
            </li>
          );
        })}
      </ol>
      {boundary?.messages === messages.length ? <Boundary boundary={boundary} /> : null}
      {isCut ? (
        <button type="button" class="more" onClick={() => setLimit(limit + step)}>
          Show {count(Math.min(step, messages.length - start - limit))} more of{" "}
          {counted(messages.length, "message")}
        </button>
      ) : null}
    </section>
  );
}

function Boundary({ boundary }: { readonly boundary: CachedBoundary }): JSX.Element {
  return (
    <p class="boundary">
      <span>
        The provider read the prompt from its cache up to about here
        {boundary.share > 0 ? ` (${percent(boundary.share)} of the next message)` : ""}. The number
        of tokens is reported. The place is estimated; it is not behind the first difference from
        the call before, because a cache cannot be read behind that.
      </span>
    </p>
  );
}

function usageOf(answer: CallAnswer, session: SessionAnswer | undefined): TimelineCall["usage"] {
  return session?.timeline.calls.find(({ call }) => call === answer.call)?.usage;
}

/** The place up to which the provider read from its cache; undefined if it reported nothing, or no such tokens. */
function boundaryOf(
  answer: CallAnswer,
  session: SessionAnswer | undefined,
): CachedBoundary | undefined {
  const timeline = session?.timeline;
  const usage = usageOf(answer, session);
  if (timeline === undefined || usage === undefined || usage.cacheRead === 0) return undefined;
  const { factor, overhead } = timeline.calibration;
  // The text of a prompt has about four characters for each token.
  const prompts = answer.systemPrompts.reduce((sum, { text }) => sum + text.length / 4, 0);
  const tokens = answer.messages.map(
    ({ entry, json }) => (entry?.tokens ?? (json?.length ?? 0) / 4) * factor,
  );
  const before = Math.max(overhead, prompts * factor);
  if (answer.difference === undefined) return cachedBoundary(usage.cacheRead, before, tokens);
  const first = answer.messages.findIndex(({ isShared }) => !isShared);
  return cachedBoundary(usage.cacheRead, before, tokens, first < 0 ? tokens.length : first);
}
