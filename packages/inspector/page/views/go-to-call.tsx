import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callProblem } from "../text/call-problem.ts";

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
  const [problem, setProblem] = useState<string>();
  return (
    <form
      class="goto"
      onSubmit={(event) => {
        event.preventDefault();
        const found = callProblem(text, first, last);
        setProblem(found);
        if (found === undefined) onGo(Number(text));
      }}
      noValidate
    >
      <label>
        Go to call{" "}
        <input
          type="number"
          min={first}
          max={last}
          value={text}
          aria-invalid={problem !== undefined}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
      </label>{" "}
      <button type="submit" class="small">
        Go
      </button>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
