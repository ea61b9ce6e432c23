import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** A field for the number of a call. */
export function GoToCall({
  first,
  last,
  onGo,
}: {
  readonly first: number;
  readonly last: number;
  readonly onGo: (call: number) => void;
}): JSX.Element {
  const [text, setText] = useState("");
  return (
    <form
      class="goto"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== "") onGo(Math.max(first, Math.min(last, Number(text))));
      }}
    >
      <label>
        Go to call{" "}
        <input
          type="number"
          min={first}
          max={last}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>{" "}
      <button type="submit" class="small">
        Go
      </button>
    </form>
  );
}
