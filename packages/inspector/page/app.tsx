import type { JSX } from "preact";
import { useEffect, useErrorBoundary, useRef } from "preact/hooks";
import { asError } from "./data/answered.ts";
import { goTo, useInspector } from "./inspector.ts";
import { Name } from "./parts/name.tsx";
import { Failure } from "./parts/states.tsx";
import { linkTo, type Route } from "./route.ts";
import { time } from "./text/format.ts";
import { setTheme, theme, type Theme } from "./theme.ts";
import { CallView } from "./views/call.tsx";
import { ObjectView } from "./views/object.tsx";
import { SearchView } from "./views/search.tsx";
import { SessionView } from "./views/session.tsx";
import { SessionsView } from "./views/sessions.tsx";

/** The whole page: its head, the view of the route, and its foot. */
export function App(): JSX.Element {
  const { route, store } = useInspector();
  const main = useRef<HTMLElement>(null);
  const current = route.value;
  const place = placeOf(current);
  useEffect(() => {
    document.title = `${titleOf(current)} · context inspector`;
    // The reader of a screen is at the new view, as after a link to another document.
    main.current?.focus({ preventScroll: true });
    if (current.view !== "call" || current.part === undefined) scrollTo(0, 0);
  }, [place]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The fragment is the route, so the link must not change it.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Head />
      <main id="main" ref={main} tabIndex={-1}>
        {store.value.state === "failed" ? (
          <Failure error={store.value.error} />
        ) : (
          <Guarded key={place} route={current} />
        )}
      </main>
      <Foot />
    </>
  );
}

/** What a route shows. Another version of an object or another call in the picture is the same place. */
function placeOf(route: Route): string {
  if (route.view === "session") return `session ${route.session}`;
  return route.view === "object" ? `object ${route.id}` : linkTo(route);
}

/** The view, or the fault that ended it: a blank page would say nothing. */
function Guarded({ route }: { readonly route: Route }): JSX.Element {
  const [fault] = useErrorBoundary();
  return fault === undefined ? <View route={route} /> : <Failure error={asError(fault)} />;
}

function View({ route }: { readonly route: Route }): JSX.Element {
  switch (route.view) {
    case "sessions":
      return <SessionsView />;
    case "session":
      return <SessionView key={route.session} id={route.session} call={route.call} />;
    case "call":
      return <CallView session={route.session} call={route.call} part={route.part} />;
    case "object":
      return <ObjectView id={route.id} version={route.version} against={route.against} />;
    case "search":
      return <SearchView words={route.words} />;
    case "unknown":
      return (
        <div class="notice">
          <h1>There is no such page</h1>
          <p>
            The address names <Name text={route.path} />.{" "}
            <a href={linkTo({ view: "sessions" })}>Sessions</a>
          </p>
        </div>
      );
  }
}

const titles = {
  sessions: "Sessions",
  session: "Session",
  object: "Object",
  search: "Search",
  unknown: "No such page",
} as const;

function titleOf(route: Route): string {
  return route.view === "call" ? `Call ${route.call}` : titles[route.view];
}

function Head(): JSX.Element {
  const { route, store } = useInspector();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  const current = route.value;
  const answer = store.value.state === "done" ? store.value.value : undefined;
  return (
    <header class="head">
      <a class="brand" href={linkTo({ view: "sessions" })}>
        Context inspector
      </a>
      <Status />
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          goTo({ view: "search", words: field.current?.value ?? "" });
        }}
      >
        <input
          ref={field}
          type="search"
          aria-label="Search in all objects"
          aria-keyshortcuts="/"
          placeholder={
            answer?.snapshot === undefined ? "Search everything  /" : "Search this snapshot  /"
          }
          defaultValue={current.view === "search" ? current.words : ""}
        />
      </form>
      <label class="theme">
        <span class="hidden">Appearance</span>
        <select
          value={theme.value}
          onChange={(event) => setTheme(event.currentTarget.value as Theme)}
        >
          <option value="auto">Auto</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </header>
  );
}

const states = {
  connecting: ["◌", "Connecting …", "New calls will appear once the inspector has answered."],
  live: ["●", "Live", "New calls appear by themselves."],
  reconnecting: ["◌", "Reconnecting …", "The connection was lost; the page tries again."],
  crowded: [
    "◌",
    "Not live",
    "Too many pages of the inspector are open. This one becomes live when another one is closed.",
  ],
  ended: [
    "✕",
    "Ended",
    "The inspector has ended, or its store cannot be read. What is shown stays.",
  ],
  still: ["■", "Snapshot", "The page holds its own data and does not change."],
} as const;

/** Whether the page gets news, and whether it is a snapshot. */
function Status(): JSX.Element {
  const { connection, store } = useInspector();
  const answer = store.value.state === "done" ? store.value.value : undefined;
  const [sign, word, sentence] = states[connection.value];
  const { snapshot } = answer ?? {};
  return (
    <span class={`status ${connection.value}`} role="status" title={sentence}>
      <span aria-hidden="true">{sign}</span> {word}
      {snapshot === undefined
        ? ""
        : ` of ${time(snapshot.at)}${snapshot.isRedacted ? ", texts removed" : ""}`}
      {connection.value === "ended" ? (
        <>
          {" "}
          <button type="button" class="small" onClick={() => location.reload()}>
            Connect again
          </button>
        </>
      ) : null}
    </span>
  );
}

function Foot(): JSX.Element {
  const { store } = useInspector();
  const answer = store.value.state === "done" ? store.value.value : undefined;
  return (
    <footer class="foot quiet">
      {answer === undefined ? null : (
        <p>
          {answer.kind === "" ? "" : `${answer.kind} store`} <Name text={answer.place} />
        </p>
      )}
      <p>
        Tokens are estimated unless the page says that the provider reported them. Cost is in tokens
        of uncached input: reading from the cache costs a fraction, writing to it can cost more.
      </p>
    </footer>
  );
}
