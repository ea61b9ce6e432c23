import { type Signal, signal } from "@preact/signals";
import { type Context, createContext, type Provider } from "preact";
import { useContext } from "preact/hooks";
import type { ChangeNotice, SessionAnswer, StoreAnswer } from "../src/answers.ts";
import type { Answered } from "./data/answered.ts";
import type { Connection, DataSource } from "./data/source.ts";
import { linkTo, readFragment, type Route } from "./route.ts";

/** What all views share. */
export interface Inspector {
  readonly source: DataSource;
  readonly route: Signal<Route>;
  readonly connection: Signal<Connection>;
  /** The newest change of the store. */
  readonly news: Signal<ChangeNotice | undefined>;
  readonly store: Signal<Answered<StoreAnswer>>;
  /** The session that was shown last, so that going back to it needs no question. */
  lastSession: SessionAnswer | undefined;
}

const Shared: Context<Inspector | undefined> = createContext<Inspector | undefined>(undefined);

/** Gives the inspector to the views below. */
export const InspectorProvider: Provider<Inspector | undefined> = Shared.Provider;

/** The inspector of the view. */
export function useInspector(): Inspector {
  const inspector = useContext(Shared);
  if (inspector === undefined) throw new TypeError("a view needs an InspectorProvider above it");
  return inspector;
}

/** The snapshot that is shown, with its time and whether its texts were removed; undefined on a store. */
export function useSnapshot(): StoreAnswer["snapshot"] {
  const { store } = useInspector();
  return store.value.state === "done" ? store.value.value.snapshot : undefined;
}

/** An inspector on a source of answers. */
export function inspectorOf(source: DataSource, first: Route): Inspector {
  return {
    source,
    route: signal(readFragment(location.hash).route ?? first),
    connection: signal<Connection>("connecting"),
    news: signal<ChangeNotice | undefined>(undefined),
    store: signal<Answered<StoreAnswer>>({ state: "loading" }),
    lastSession: undefined,
  };
}

/** Goes to a page, as a link to it does. */
export function goTo(route: Route): void {
  location.hash = linkTo(route);
}

/** Puts a page into the address without a new step of the way back. */
export function renameAddress(route: Route): void {
  try {
    history.replaceState(null, "", linkTo(route));
  } catch {
    // A preview of a file may forbid changes of its address; the page works without them.
  }
}
