import { render } from "preact";
import type { SnapshotData, StoreAnswer } from "../src/answers.ts";
import { App } from "./app.tsx";
import { asError } from "./data/answered.ts";
import { serverSource } from "./data/server.ts";
import { snapshotSource } from "./data/snapshot.ts";
import { AnswerError, type DataSource, paths } from "./data/source.ts";
import { type Inspector, InspectorProvider, inspectorOf, renameAddress } from "./inspector.ts";
import { readFragment, type Route } from "./route.ts";
import { setTheme, theme } from "./theme.ts";
import "./page.css";

/** The name under which the browser tab keeps the token. */
const place = "scm-token";

/**
 * Takes the token out of the address, so that no copied link and no history has it. The tab keeps it, because a reload
 * would otherwise lose it; other tabs and later sessions of the browser do not see it.
 */
function takeToken(): string {
  const { token, route } = readFragment(location.hash);
  if (token === undefined) return stored() ?? "";
  renameAddress(route ?? { view: "sessions" });
  try {
    sessionStorage.setItem(place, token);
  } catch {
    // A browser that keeps nothing asks for the address again after a reload.
  }
  return token;
}

function stored(): string | undefined {
  try {
    return sessionStorage.getItem(place) ?? undefined;
  } catch {
    // As above: nothing is kept.
    return undefined;
  }
}

function embedded(): SnapshotData | undefined {
  const text = document.querySelector("#snapshot")?.textContent ?? "";
  return text.trim() === "" ? undefined : (JSON.parse(text) as SnapshotData);
}

/** The source of a snapshot; one that a later program wrote is not read. */
function snapshotOf(data: SnapshotData): DataSource {
  if (data.format === 1) return snapshotSource(data);
  const error = new AnswerError(
    "SNAPSHOT_TOO_NEW",
    "A newer version of self-context-manager wrote the data of this file than the page in it can read.",
  );
  return { ask: () => Promise.reject(error), follow: () => () => undefined };
}

async function connect(inspector: Inspector): Promise<void> {
  const { source, store, connection, news } = inspector;
  try {
    const answer = await source.ask<StoreAnswer>(paths.store);
    store.value = { state: "done", value: answer };
    // The views have asked already, and what came between their answers and this position is no news later.
    if (answer.snapshot === undefined) news.value = { position: answer.position, changed: [] };
    source.follow(
      answer.position,
      (change) => {
        news.value = change;
      },
      (state) => {
        connection.value = state;
      },
    );
  } catch (error) {
    connection.value = "ended";
    store.value = { state: "failed", error: asError(error) };
  }
}

function start(root: HTMLElement): void {
  setTheme(theme.value);
  const snapshot = embedded();
  const source: DataSource =
    snapshot === undefined ? serverSource(takeToken()) : snapshotOf(snapshot);
  const inspector = inspectorOf(source, firstRoute(snapshot));
  addEventListener("hashchange", () => {
    inspector.route.value = readFragment(location.hash).route ?? firstRoute(snapshot);
  });
  render(
    <InspectorProvider value={inspector}>
      <App />
    </InspectorProvider>,
    root,
  );
  void connect(inspector);
}

/** A snapshot begins with its session. */
function firstRoute(snapshot: SnapshotData | undefined): Route {
  const store = snapshot?.answers[paths.store] as StoreAnswer | undefined;
  const session = store?.snapshot?.session;
  return session === undefined ? { view: "sessions" } : { view: "session", session };
}

const root = document.getElementById("page");
if (root !== null) start(root);
