import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { bytes } from "../text/format.ts";
import { textChunks, textHead } from "../text/text-chunks.ts";
import { visibleText } from "../text/visible-text.ts";

/** Pieces that the browser lays out only when they are on the screen. */
const piece = { lines: 100, characters: 8000 };

/** A text of any length: its beginning, and all of it at the press of a button. */
export function LongText({
  text,
  label,
  lines = 400,
  characters = 40_000,
}: {
  readonly text: string;
  readonly label: string;
  readonly lines?: number;
  readonly characters?: number;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { head, isWhole } = useMemo(
    () => textHead(text, { lines, characters }),
    [text, lines, characters],
  );
  const chunks = useMemo(() => textChunks(isOpen ? text : head, piece), [text, head, isOpen]);
  if (text === "") return <p class="quiet">empty</p>;
  return (
    <div class="text">
      <div class="lines" tabIndex={0} role="group" aria-label={label}>
        {chunks.map((chunk, index) => (
          <pre key={index}>{visibleText(chunk.endsWith("\n") ? chunk.slice(0, -1) : chunk)}</pre>
        ))}
      </div>
      {isWhole || isOpen ? null : (
        <button type="button" class="more" onClick={() => setOpen(true)}>
          Show all ({bytes(text.length)})
        </button>
      )}
    </div>
  );
}
