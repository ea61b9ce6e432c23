import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** The beginning of a long value, such as a hash, with a button that copies all of it. */
export function Copied({
  value,
  label,
  shown = 12,
}: {
  readonly value: string;
  readonly label: string;
  readonly shown?: number;
}): JSX.Element {
  const [state, setState] = useState("Copy");
  const copy = (): void => {
    navigator.clipboard.writeText(value).then(
      () => setState("Copied"),
      () => setState("Not allowed"),
    );
  };
  return (
    <span class="copied">
      <code title={value}>{value.length > shown ? `${value.slice(0, shown)}…` : value}</code>{" "}
      <button type="button" class="small" onClick={copy} aria-label={`${state} ${label}`}>
        {state}
      </button>
    </span>
  );
}
