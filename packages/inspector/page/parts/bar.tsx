import type { JSX } from "preact";

/** A share from 0 to 1 as a small bar. The figure beside it has the same in text. */
export function Bar({
  share,
  tone = "plain",
}: {
  readonly share: number;
  readonly tone?: string;
}): JSX.Element {
  const width = Math.max(0, Math.min(1, Number.isFinite(share) ? share : 0)) * 100;
  return (
    <svg class={`bar ${tone}`} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="8" />
      <rect class="fill" width={width} height="8" />
    </svg>
  );
}
