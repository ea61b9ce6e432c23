import type { JSX } from "preact";

/** The words of a session's page that are not common ones. */
export function Glossary(): JSX.Element {
  return (
    <details class="card glossary">
      <summary>Words of this page</summary>
      <dl>
        {words.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const words: readonly (readonly [word: string, meaning: string])[] = [
  [
    "plain host",
    "The same work in the host without the context manager: without the calls that only manage the context, and with every output kept where it arrived. It is what the cost is compared with.",
  ],
  [
    "tokens of uncached input",
    "The unit of cost: what the provider takes for one token of the prompt that is neither read from its cache nor written to it. Reading costs a fraction of it, and writing can cost more. It covers the input only; the model's output is not in it.",
  ],
  ["window", "All that the model gets with a call: what the host sends, and the messages."],
  [
    "cached part",
    "The beginning of the prompt that the provider had from an earlier call. It ends at the first difference at the latest.",
  ],
  [
    "epoch",
    "A run of calls during which sent messages do not change; new ones are only appended. When it ends, content that was not used recently leaves the view.",
  ],
  [
    "carried",
    "A reason for the end of an epoch: sending inactive content again and again had cost its share of what it costs to write the rest anew.",
  ],
  [
    "cold",
    "A reason for the end of an epoch: the provider's cache held nothing of the session, for example after a long pause or with another model.",
  ],
  ["whole", "The message shows the whole content of an object."],
  [
    "its line, its reference line",
    "One line in place of a content that is not shown. It names the object by its handle, such as t31, so that the model can ask for it.",
  ],
  [
    "context manager",
    "The tokens of reference lines and of other lines that the context manager writes itself.",
  ],
];
