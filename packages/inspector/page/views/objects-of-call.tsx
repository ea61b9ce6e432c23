import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { CallMessage } from "../../src/answers.ts";
import { ObjectLink } from "../parts/object-link.tsx";
import { counted } from "../text/format.ts";
import { visibleText } from "../text/visible-text.ts";

/** Objects, and messages of one object, that are listed at first. */
const most = { objects: 100, messages: 4 };

/** The objects in a call, each with its version and the messages that show it. */
export function ObjectsOfCall({
  messages,
  names,
  onShow,
}: {
  readonly messages: readonly CallMessage[];
  readonly names: ReadonlyMap<string, string>;
  readonly onShow: (message: number) => void;
}): JSX.Element | null {
  const [words, setWords] = useState("");
  const [isAll, setAll] = useState(false);
  const objects = useMemo(() => objectsOf(messages), [messages]);
  if (objects.length === 0) return null;
  const wanted = words.trim().toLowerCase();
  const found = objects.filter(({ part: { handle } }) =>
    `${handle} ${names.get(handle) ?? ""}`.toLowerCase().includes(wanted),
  );
  const shown = isAll ? found : found.slice(0, most.objects);
  return (
    <details class="card">
      <summary>
        <strong>{counted(objects.length, "object")} in this call</strong>, each with its version and
        the messages that show it
      </summary>
      <p>
        <label>
          Find an object{" "}
          <input
            type="search"
            value={words}
            placeholder="name or handle"
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
      </p>
      {found.length === 0 ? <p class="quiet">No object of this call has such a name.</p> : null}
      <ul class="objects">
        {shown.map(({ part: { id, handle, version }, places }) => (
          <li key={`${handle} ${version}`}>
            <span class="handle">{visibleText(handle)}</span>{" "}
            <ObjectLink id={id} name={names.get(handle) ?? handle} version={version} /> version{" "}
            {version}
            {places.slice(0, most.messages).map((place) => (
              <span key={place}>
                {", "}
                <button type="button" class="small" onClick={() => onShow(place)}>
                  message {place + 1}
                </button>{" "}
                <span class="quiet">{visibleText(messages[place]?.entry?.how ?? "")}</span>
              </span>
            ))}
            {places.length > most.messages ? ` and ${places.length - most.messages} more` : ""}
          </li>
        ))}
      </ul>
      {shown.length < found.length ? (
        <button type="button" class="more" onClick={() => setAll(true)}>
          Show all {counted(found.length, "object")}
        </button>
      ) : null}
    </details>
  );
}

interface Found {
  readonly part: CallMessage["parts"][number];
  readonly places: number[];
}

function objectsOf(messages: readonly CallMessage[]): readonly Found[] {
  const found = new Map<string, Found>();
  for (const [index, { parts }] of messages.entries())
    for (const part of parts) {
      const key = `${part.handle} ${part.version}`;
      const one = found.get(key) ?? { part, places: [] };
      one.places.push(index);
      found.set(key, one);
    }
  return [...found.values()];
}
