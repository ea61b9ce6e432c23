import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { CallRange } from "./stack.ts";

/** The width and height of the drawing's own units. */
const [width, height] = [1000, 36];

/** A small picture of all calls, in which a range is chosen by dragging. */
export function Overview({
  totals,
  range,
  onRange,
}: {
  readonly totals: Float64Array;
  readonly range: CallRange;
  readonly onRange: (range: CallRange) => void;
}): JSX.Element {
  const from = useRef<number>(undefined);
  const path = useMemo(() => outline(totals), [totals]);
  const calls = totals.length;
  const callAt = (event: PointerEvent): number => {
    const bounds = (event.currentTarget as Element).getBoundingClientRect();
    const share = (event.clientX - bounds.left) / bounds.width;
    return Math.max(0, Math.min(calls, share * calls));
  };
  const drag = (event: PointerEvent): void => {
    if (from.current === undefined) return;
    const [low, high] = [from.current, callAt(event)].sort((a, b) => a - b);
    if (low === undefined || high === undefined || high - low < Math.min(4, calls / 100)) return;
    onRange({ from: Math.floor(low), to: Math.max(Math.floor(low) + 1, Math.ceil(high)) });
  };
  const [left, right] = [(range.from / calls) * width, (range.to / calls) * width];
  return (
    <svg
      class="overview"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`all ${calls} calls; shown are ${range.from + 1} to ${range.to}`}
      onPointerDown={(event) => {
        from.current = callAt(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        from.current = undefined;
      }}
    >
      <path d={path} />
      <rect class="outside" x="0" y="0" width={left} height={height} />
      <rect class="outside" x={right} y="0" width={width - right} height={height} />
      <rect class="window" x={left} y="0.5" width={Math.max(2, right - left)} height={height - 1} />
    </svg>
  );
}

function outline(totals: Float64Array): string {
  const columns = Math.min(500, totals.length);
  const most = totals.reduce((high, tokens) => Math.max(high, tokens), 1);
  const points = Array.from({ length: columns }, (_, column) => {
    const start = Math.floor((column * totals.length) / columns);
    const end = Math.floor(((column + 1) * totals.length) / columns);
    const high = Math.max(...totals.subarray(start, end));
    const y = (height - (high / most) * (height - 3)).toFixed(1);
    return `V${y}H${(((column + 1) * width) / columns).toFixed(1)}`;
  });
  return `M0 ${height}${points.join("")}V${height}Z`;
}
