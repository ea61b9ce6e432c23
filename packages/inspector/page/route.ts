/** A page of the inspector, as the fragment of its address names it. */
export type Route =
  | { readonly view: "sessions" }
  | { readonly view: "session"; readonly session: string; readonly call?: number }
  /** `part`: the handle of an object to which the page scrolls. */
  | {
      readonly view: "call";
      readonly session: string;
      readonly call: number;
      readonly part?: string;
    }
  | {
      readonly view: "object";
      readonly id: string;
      readonly version?: number;
      readonly against?: number;
    }
  | { readonly view: "search"; readonly words: string }
  | { readonly view: "unknown"; readonly path: string };

/** The parts of a fragment such as `#token=T&at=sessions/ID`. */
export interface Fragment {
  readonly token?: string;
  readonly route?: Route;
}

/** Reads the fragment of the page's address. */
export function readFragment(fragment: string): Fragment {
  const text = fragment.replace(/^#/u, "");
  const [, token, rest = text] = /^token=([^&]*)(?:&(.*))?$/su.exec(text) ?? [];
  const [, path] = /^at=(.*)$/su.exec(token === undefined ? text : (rest ?? "")) ?? [];
  return {
    ...(token === undefined ? {} : { token: decoded(token) }),
    ...(path === undefined || path === "" ? {} : { route: readRoute(path) }),
  };
}

/** The link to a page of the inspector. */
export function linkTo(route: Route): string {
  return `#at=${pathOf(route)}`;
}

function readRoute(path: string): Route {
  const [place = "", query = ""] = path.split("?", 2);
  const [kind, id, calls, call, ...more] = place.split("/").map(decoded);
  const fields = new URLSearchParams(query);
  const unknown: Route = { view: "unknown", path };
  if (more.length > 0) return unknown;
  if (kind === "sessions" && id === undefined) return { view: "sessions" };
  if (kind === "search" && id === undefined)
    return { view: "search", words: fields.get("words") ?? "" };
  if (id === undefined || id === "") return unknown;
  if (kind === "sessions" && calls === undefined)
    return { view: "session", session: id, ...numbered("call", fields.get("call")) };
  const number = numberOf(call);
  if (kind === "sessions" && calls === "calls" && number !== undefined) {
    const part = fields.get("part");
    return { view: "call", session: id, call: number, ...(part === null ? {} : { part }) };
  }
  if (kind === "objects" && calls === undefined)
    return {
      view: "object",
      id,
      ...numbered("version", fields.get("version")),
      ...numbered("against", fields.get("against")),
    };
  return unknown;
}

function pathOf(route: Route): string {
  switch (route.view) {
    case "sessions":
      return "sessions";
    case "session":
      return `sessions/${encodeURIComponent(route.session)}${queryOf({ call: route.call })}`;
    case "call": {
      const { session, call, part } = route;
      return `sessions/${encodeURIComponent(session)}/calls/${call}${queryOf({ part })}`;
    }
    case "object": {
      const { version, against } = route;
      return `objects/${encodeURIComponent(route.id)}${queryOf({ version, against })}`;
    }
    case "search":
      return `search?words=${encodeURIComponent(route.words)}`;
    case "unknown":
      return route.path;
  }
}

function queryOf(fields: Readonly<Record<string, number | string | undefined>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? "" : `?${given.join("&")}`;
}

function numbered<Name extends string>(
  name: Name,
  text: string | null,
): { readonly [field in Name]?: number } {
  const number = numberOf(text ?? undefined);
  return (number === undefined ? {} : { [name]: number }) as { readonly [field in Name]?: number };
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A fragment that somebody typed need not be a valid encoding; it is then used as it is.
    return text;
  }
}
