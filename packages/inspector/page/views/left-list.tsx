import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LeftObject } from "../figures/left-objects.ts";
import { CallLink, ObjectLink } from "../parts/object-link.tsx";
import { count } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";

/** Objects that left the view, with the call at which each came back; those beyond the first few are folded. */
export function LeftList({
  left,
  session,
  shown,
}: {
  readonly left: readonly LeftObject[];
  readonly session: string;
  readonly shown: number;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const rest = left.slice(shown);
  return (
    <>
      <Items left={left.slice(0, shown)} session={session} />
      {rest.length === 0 ? null : (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{count(rest.length)} more</summary>
          {isOpen ? <Items left={rest} session={session} /> : null}
        </details>
      )}
    </>
  );
}

function Items({
  left,
  session,
}: {
  readonly left: readonly LeftObject[];
  readonly session: string;
}): JSX.Element {
  return (
    <ul class="left">
      {left.map(({ key, id, name, isPartly, back }) => (
        <li key={key}>
          <span class="handle">{visibleText(key)}</span> <ObjectLink id={id} name={name} />
          <span class="quiet">
            {isPartly ? ", a part stayed" : ""}
            {back === undefined ? ", not again" : ", again at call "}
            {back === undefined ? null : (
              <CallLink session={session} call={back} part={key.split("/")[0]} />
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
