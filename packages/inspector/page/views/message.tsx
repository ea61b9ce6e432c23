import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { CallMessage } from "../../src/answers.ts";
import { Copied } from "../parts/copied.tsx";
import { LongText } from "../parts/long-text.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { bytes, count } from "../text/format.ts";
import { type MessagePart, pictureUrl, readMessage } from "../text/message-parts.ts";
import { visibleText } from "../text/visible-text.ts";

/**
 * Whether the call before has a message too. `again`: behind its first change, so no cache has it there; `changed`: not
 * shared, and what the call before had behind the change is not known.
 */
export type MessageAge = "shared" | "new" | "again" | "changed";

/** One message: its role, the objects behind it, and its parts; or its JSON byte for byte. */
export function Message({
  message,
  number,
  names,
  isWanted,
  age,
}: {
  readonly message: CallMessage;
  readonly number: number;
  readonly names: ReadonlyMap<string, string>;
  readonly isWanted: boolean;
  readonly age: MessageAge;
}): JSX.Element {
  const { json, hash, entry, parts, isDamaged } = message;
  const [isJson, setJson] = useState(false);
  const read = useMemo(() => (json === undefined ? undefined : readMessage(json)), [json]);
  const role = read?.role ?? "cannot be rebuilt";
  return (
    <article
      id={`message-${number}`}
      class={`message role-${read === undefined || isDamaged === true ? "damaged" : roleClass(role)}${isWanted ? " wanted" : ""}`}
      aria-label={`message ${number}, ${role}`}
    >
      <header>
        <span class="number quiet">{number}</span> <strong>{visibleText(role)}</strong>
        {read?.tool === undefined ? null : <span class="tag">{visibleText(read.tool)}</span>}
        {read?.isError === true ? <span class="tag bad">failed</span> : null}
        {entry === undefined ? null : (
          <span class="quiet">
            {visibleText(
              [entry.what, entry.place, isDamaged === true ? "" : entry.how]
                .filter((one) => one !== "")
                .join(", "),
            )}
            {entry.tokens === undefined ? "" : ` · ${count(entry.tokens)} tokens, estimated`}
          </span>
        )}
        {isDamaged === true ? <span class="tag bad">✕ damaged</span> : null}
        {age === "shared" ? null : (
          <span class={age === "new" ? "tag new" : "tag"}>{ages[age]}</span>
        )}
        <span class="tools">
          <Copied value={hash} label={`hash of message ${number}`} shown={8} />
          {json === undefined ? null : (
            <button
              type="button"
              class="small"
              aria-pressed={isJson}
              onClick={() => setJson(!isJson)}
            >
              JSON
            </button>
          )}
        </span>
      </header>
      {parts.length === 0 ? null : (
        <p class="behind">
          {parts.map(({ id, handle, version }) => (
            <span key={`${handle} ${version}`}>
              <span class="handle">{visibleText(handle)}</span>{" "}
              <ObjectLink id={id} name={names.get(handle) ?? handle} version={version} />{" "}
              <span class="quiet">version {version}</span>{" "}
            </span>
          ))}
        </p>
      )}
      {json === undefined ? (
        <p class="problem">✕ This message cannot be rebuilt from the store. Its hash is known.</p>
      ) : isJson ? (
        <LongText text={json} label={`JSON of message ${number}`} />
      ) : (
        read?.parts.map((part, index) => <Part key={index} part={part} number={number} />)
      )}
    </article>
  );
}

const ages = {
  new: "new",
  again: "sent again",
  changed: "behind the first change",
} as const;

function roleClass(role: string): string {
  return /^[a-zA-Z]+$/u.test(role) ? role : "other";
}

function Part({
  part,
  number,
}: {
  readonly part: MessagePart;
  readonly number: number;
}): JSX.Element {
  const label = `${part.type} of message ${number}`;
  switch (part.type) {
    case "text":
      return <LongText text={part.text} label={label} lines={60} characters={12_000} />;
    case "thinking":
      return (
        <div class="part">
          <span class="tag">thinking</span>
          <LongText text={part.text} label={label} lines={60} characters={12_000} />
        </div>
      );
    case "call":
      return (
        <div class="part">
          <span class="tag">calls</span> <strong>{visibleText(part.name)}</strong>{" "}
          <span class="quiet">{visibleText(part.id)}</span>
          <LongText text={part.json} label={label} lines={60} characters={12_000} />
        </div>
      );
    case "result":
      return (
        <div class="part">
          <span class="tag">result</span> <strong>{visibleText(part.name)}</strong>
          <LongText text={part.text} label={label} lines={60} characters={12_000} />
        </div>
      );
    case "json":
      return (
        <div class="part">
          <span class="tag">{part.name === "" ? "data" : visibleText(part.name)}</span>
          <LongText text={part.json} label={label} lines={60} characters={12_000} />
        </div>
      );
    case "image":
      return <Picture part={part} />;
  }
}

function Picture({
  part,
}: {
  readonly part: MessagePart & { readonly type: "image" };
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const url = pictureUrl(part.mediaType, part.data);
  return (
    <div class="part">
      <span class="tag">image</span> {visibleText(part.mediaType)}, {bytes(part.size)}{" "}
      {url === undefined ? (
        <span class="quiet">This type is not shown.</span>
      ) : (
        <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide" : "Show"} the image
        </button>
      )}
      {isOpen && url !== undefined ? <img src={url} alt="image of the message" /> : null}
    </div>
  );
}
