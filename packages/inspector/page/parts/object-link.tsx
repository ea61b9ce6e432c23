import type { JSX } from "preact";
import { linkTo } from "../route.ts";
import { Name } from "./name.tsx";

/** A link to an object by its name; only the name if its id is not known. */
export function ObjectLink({
  id,
  name,
  version,
}: {
  readonly id: string | undefined;
  readonly name: string;
  readonly version?: number;
}): JSX.Element {
  if (id === undefined) return <Name text={name} />;
  const route = { view: "object", id, ...(version === undefined ? {} : { version }) } as const;
  return (
    <a href={linkTo(route)}>
      <Name text={name === "" ? id : name} />
    </a>
  );
}

/** A link to a version of an object by its number. */
export function VersionLink({
  id,
  version,
}: {
  readonly id: string;
  readonly version: number;
}): JSX.Element {
  return (
    <a href={linkTo({ view: "object", id, version })} aria-label={`version ${version}`}>
      {version}
    </a>
  );
}

/** A link to a call by its number. */
export function CallLink({
  session,
  call,
  part,
}: {
  readonly session: string;
  readonly call: number;
  readonly part?: string | undefined;
}): JSX.Element {
  const route = { view: "call", session, call, ...(part === undefined ? {} : { part }) } as const;
  return (
    <a href={linkTo(route)} aria-label={`call ${call}`}>
      {call}
    </a>
  );
}
