import type { SessionTimeline } from "@self-context-manager/core/inspect";
import type { JSX } from "preact";
import { stackKinds } from "../figures/call-parts.ts";
import { kindNames } from "../text/words.ts";

/** What the colours and lines of the picture mean, and which of them are estimates. */
export function Legend({ timeline }: { readonly timeline: SessionTimeline }): JSX.Element {
  const kinds = new Set<string>(timeline.parts.map(({ kind }) => kind));
  const shown = stackKinds.filter((kind) =>
    kind === "host" ? timeline.calibration.overhead > 0 : kinds.has(kind),
  );
  const hasUsage = timeline.calls.some(({ usage }) => usage !== undefined);
  const hasUnits = timeline.calls.some(({ reportedUnits }) => reportedUnits !== undefined);
  return (
    <ul class="legend" aria-label="legend">
      {shown.map((kind) => (
        <li key={kind}>
          <i class={`swatch kind-${kind}`} aria-hidden="true" />
          {kindNames[kind]}
        </li>
      ))}
      <li class="wide">
        <i class="swatch split" aria-hidden="true" />
        faded: height read from the cache{hasUsage ? ", as the provider reported" : ""}
      </li>
      <li>
        <i class="swatch hatched" aria-hidden="true" />
        hatched: cached, estimated
      </li>
      <li>
        <i class="swatch line" aria-hidden="true" />
        total of the provider
      </li>
      <li class="wide">
        <i class="swatch cost" aria-hidden="true" />
        cost as sent: {hasUnits ? "solid as the provider reported, dotted where " : "dotted, "}
        estimated
      </li>
      <li>
        <i class="swatch cost append" aria-hidden="true" />
        cost in the plain host, estimated
      </li>
      <li class="wide quiet">
        The heights of all parts are estimated. The order of the parts is not their order in the
        prompt.
      </li>
    </ul>
  );
}
