import type { JSX } from "preact";
import { visibleName } from "../text/visible-text.ts";

/** A name that came from outside: on one line, without hidden characters, and apart from the text around it. */
export function Name({ text }: { readonly text: string }): JSX.Element {
  return <bdi class="name">{visibleName(text)}</bdi>;
}
