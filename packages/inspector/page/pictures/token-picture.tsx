import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionAnswer } from "../../src/answers.ts";
import { billedOf } from "../figures/billed.ts";
import { cachedTokens, reportedTokens } from "../figures/usage.ts";
import { useTheme } from "../theme.ts";
import { count } from "../text/format.ts";
import { visibleName } from "../text/visible-text.ts";
import { kindNames } from "../text/words.ts";
import { zoomed } from "./axis.ts";
import { costByCall, costSoFar } from "./cost-lines.ts";
import { columnX, drawTokens, highest, placesFor } from "./draw-tokens.ts";
import { callMarks } from "./marks.ts";
import { palette } from "./palette.ts";
import { bandAt, type CallRange, columnOf, columnStart, stackOf, type Stack } from "./stack.ts";

/** What is selected: a call by its index, and a band of its column. */
export interface Selection {
  readonly index: number;
  /** The parts of the selected band; undefined if only the call is selected. */
  readonly parts?: readonly number[];
}

export interface TokenPictureProps {
  readonly answer: SessionAnswer;
  readonly range: CallRange;
  readonly selection: Selection;
  readonly onRange: (range: CallRange) => void;
  readonly onSelect: (selection: Selection) => void;
  readonly onOpen: (selection: Selection) => void;
}

interface Pointed {
  readonly index: number;
  readonly band?: number;
  readonly x: number;
  readonly y: number;
}

/** A live page draws for days, so only the last measurement of each kind is kept. */
function startMeasure(): void {
  performance.clearMarks("tokens-start");
  performance.mark("tokens-start");
}

function measured(name: string): void {
  performance.clearMeasures(name);
  performance.measure(name, "tokens-start");
}

/** Tokens by object over calls, with what was cached, the ends of epochs, cache misses and the cost. */
export function TokenPicture(props: TokenPictureProps): JSX.Element {
  const { answer, range, selection, onRange, onSelect, onOpen } = props;
  const { timeline } = answer;
  const { calls } = timeline;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const theme = useTheme();
  const [pointed, point] = useState<Pointed>();
  const [isByCall, setByCall] = useState(false);
  const places = useMemo(() => placesFor(width), [width]);
  const stack = useMemo(() => {
    startMeasure();
    const arranged = stackOf(timeline, range, places.right - places.left);
    measured("tokens-arranged");
    return arranged;
  }, [timeline, range.from, range.to, places]);
  const marks = useMemo(() => callMarks(calls), [calls]);

  useLayoutEffect(() => {
    if (width === 0) return;
    const context = contextOf(canvas.current, width, places.height);
    if (context === undefined) return;
    const lines = isByCall ? costByCall : costSoFar;
    startMeasure();
    drawTokens(context, {
      stack,
      cost: lines(calls, range, stack.columns),
      costTitle: isByCall
        ? "cost of each call, in tokens of uncached input"
        : "cost so far, in tokens of uncached input",
      marks,
      first: calls[range.from]?.call ?? 1,
      last: calls[range.to - 1]?.call ?? 1,
      places,
      palette: palette(),
    });
    measured("tokens-drawn");
  }, [stack, places, isByCall, theme, marks]);

  useLayoutEffect(() => {
    const context = contextOf(overlay.current, width, places.height);
    if (context === undefined) return;
    const { ink, accent } = palette();
    const mark = (index: number, parts: readonly number[] | undefined, colour: string): void => {
      if (index < range.from || index >= range.to) return;
      const column = columnOf(range, stack.columns, index);
      const x = columnX(stack, places, column);
      const columnWidth = Math.max(1.5, columnX(stack, places, column + 1) - x);
      context.strokeStyle = colour;
      context.lineWidth = 1.5;
      context.strokeRect(
        x - 0.75,
        places.top - 4,
        columnWidth + 1.5,
        places.bottom - places.top + 4,
      );
      const band = bandOfParts(stack, parts);
      if (band === undefined) return;
      const [low, high] = bandEdges(stack, band, column, places);
      context.lineWidth = 3;
      context.strokeRect(x - 1.5, high, columnWidth + 3, Math.max(2, low - high));
    };
    mark(selection.index, selection.parts, accent);
    if (pointed !== undefined)
      mark(
        pointed.index,
        pointed.band === undefined ? undefined : stack.bands[pointed.band]?.parts,
        ink,
      );
  }, [stack, places, selection, pointed, theme]);

  const pointAt = (event: MouseEvent): Pointed | undefined => {
    const bounds = overlay.current?.getBoundingClientRect();
    if (bounds === undefined || stack.columns === 0) return undefined;
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    if (x < places.left || x >= places.right) return undefined;
    const share = (x - places.left) / (places.right - places.left);
    const index = Math.min(range.to - 1, range.from + Math.floor(share * (range.to - range.from)));
    const tokens = ((places.bottom - y) / (places.bottom - places.top)) * highest(stack);
    const band =
      y > places.bottom ? undefined : bandAt(stack, columnOf(range, stack.columns, index), tokens);
    return { index, x, y, ...(band === undefined ? {} : { band }) };
  };

  const choose = (event: MouseEvent): void => {
    const at = pointAt(event);
    if (at === undefined) return;
    const parts = at.band === undefined ? undefined : stack.bands[at.band]?.parts;
    const next: Selection = { index: at.index, ...(parts === undefined ? {} : { parts }) };
    const isAgain =
      next.index === selection.index && next.parts?.join() === selection.parts?.join();
    if (isAgain) onOpen(next);
    else onSelect(next);
  };

  useEffect(() => {
    const element = overlay.current;
    if (element === null) return undefined;
    const wheel = (event: WheelEvent): void => {
      // Without a key the wheel scrolls the page, as everywhere else on it.
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const at = pointAt(event)?.index ?? selection.index;
      const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
      onRange(zoomed(range, calls.length, { at, factor: turned > 0 ? 1.3 : 1 / 1.3 }));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  });

  const move = (index: number): void => {
    const next = Math.max(0, Math.min(calls.length - 1, index));
    if (next < range.from || next >= range.to)
      onRange(zoomed(range, calls.length, { at: next, factor: 1 }));
    onSelect({ ...selection, index: next });
  };
  const movePart = (step: number): void => {
    const column = columnOf(range, stack.columns, selection.index);
    const visible = [...stack.bands.keys()].filter(
      (band) => (stack.heights[band * stack.columns + column] ?? 0) > 0,
    );
    const now = visible.indexOf(bandOfParts(stack, selection.parts) ?? -1);
    const next = visible[now < 0 ? (step > 0 ? 0 : visible.length - 1) : now + step];
    const parts = next === undefined ? undefined : stack.bands[next]?.parts;
    onSelect({ index: selection.index, ...(parts === undefined ? {} : { parts }) });
  };
  const zoom = (factor: number): void =>
    onRange(zoomed(range, calls.length, { at: selection.index, factor }));
  const press = (event: KeyboardEvent): void => {
    const far = event.shiftKey ? 10 : 1;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move(selection.index - far),
      ArrowRight: () => move(selection.index + far),
      PageUp: () => move(selection.index - Math.ceil((range.to - range.from) / 10)),
      PageDown: () => move(selection.index + Math.ceil((range.to - range.from) / 10)),
      Home: () => move(0),
      End: () => move(calls.length - 1),
      ArrowUp: () => movePart(1),
      ArrowDown: () => movePart(-1),
      Enter: () => onOpen(selection),
      Escape: () => onSelect({ index: selection.index }),
      "+": () => zoom(0.5),
      "-": () => zoom(2),
      "0": () => onRange({ from: 0, to: calls.length }),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key))
      return;
    event.preventDefault();
    actions[event.key]?.();
  };

  const selectedBand = bandOfParts(stack, selection.parts);
  return (
    <div class="picture">
      <div class="choice" role="group" aria-label="cost line">
        <button
          type="button"
          class="small"
          aria-pressed={!isByCall}
          onClick={() => setByCall(false)}
        >
          Cost so far
        </button>
        <button type="button" class="small" aria-pressed={isByCall} onClick={() => setByCall(true)}>
          Cost of each call
        </button>
      </div>
      <div
        class="canvas"
        ref={box}
        tabIndex={0}
        role="slider"
        aria-label="Call of the session. Up and down arrows select a part, Enter opens it, plus and minus zoom."
        aria-valuemin={calls[0]?.call ?? 0}
        aria-valuemax={calls.at(-1)?.call ?? 0}
        aria-valuenow={calls[selection.index]?.call ?? 0}
        aria-valuetext={describe(answer, stack, selection.index, selectedBand).join(", ")}
        onKeyDown={press}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <canvas
          ref={overlay}
          class="overlay"
          aria-hidden="true"
          onPointerMove={(event) => point(pointAt(event))}
          onPointerLeave={() => point(undefined)}
          onClick={choose}
        />
        {pointed === undefined ? null : (
          <div
            class={pointed.x > width / 2 ? "tip before" : "tip"}
            style={{ left: `${pointed.x}px`, top: `${Math.min(pointed.y, places.bottom - 90)}px` }}
            aria-hidden="true"
          >
            {describe(answer, stack, pointed.index, pointed.band).map((text, index) => (
              <div key={index}>{text}</div>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

/** A call, and a band of it, in words. */
function describe(
  { timeline }: SessionAnswer,
  stack: Stack,
  index: number,
  band: number | undefined,
): readonly string[] {
  const call = timeline.calls[index];
  if (call === undefined) return [];
  if (call.problem !== undefined) return [`call ${call.call}`, `damaged: ${call.problem}`];
  const { range, columns, bands, heights, totals } = stack;
  const isInside = index >= range.from && index < range.to;
  const column = isInside ? columnOf(range, columns, index) : 0;
  const calls = columnStart(range, columns, column + 1) - columnStart(range, columns, column);
  const mean = calls > 1 ? `, mean of ${calls} calls` : "";
  const cached = cachedTokens(call);
  const lines = [`call ${call.call}`];
  const found = band === undefined || !isInside ? undefined : bands[band];
  if (found !== undefined && band !== undefined) {
    const part = found.parts.length === 1 ? timeline.parts[found.parts[0] ?? -1] : undefined;
    const handle = part?.handle === undefined ? "" : ` (${part.handle})`;
    const tokens = count(heights[band * columns + column] ?? 0);
    if (found.name !== kindNames[found.kind]) lines.push(`${visibleName(found.name)}${handle}`);
    lines.push(`${kindNames[found.kind]}: ${tokens} tokens, estimated${mean}`);
  }
  if (isInside) lines.push(`all: ${count(totals[column] ?? 0)} tokens, estimated${mean}`);
  lines.push(
    call.usage === undefined
      ? "the provider reported no tokens"
      : `provider: ${count(reportedTokens(call.usage))} tokens`,
  );
  lines.push(`cached: ${count(cached.tokens)}${cached.isReported ? "" : ", estimated"}`);
  const billed = billedOf(call);
  if (billed !== undefined)
    lines.push(`cost: ${count(billed.units)}, ${billed.isReported ? "reported" : "estimated"}`);
  if (call.miss !== undefined && call.miss.tokens > 0)
    lines.push(`◆ ${count(call.miss.tokens)} tokens sent again as new`);
  return lines;
}

function bandOfParts(stack: Stack, parts: readonly number[] | undefined): number | undefined {
  if (parts === undefined) return undefined;
  const [first] = parts;
  const band = stack.bands.findIndex(({ kind, parts: others }) =>
    first === undefined ? kind === "host" : others.includes(first),
  );
  return band < 0 ? undefined : band;
}

function bandEdges(
  stack: Stack,
  band: number,
  column: number,
  { top, bottom }: { readonly top: number; readonly bottom: number },
): readonly [low: number, high: number] {
  const { heights, columns } = stack;
  let base = 0;
  for (let index = 0; index < band; index++) base += heights[index * columns + column] ?? 0;
  const yOf = (tokens: number): number => bottom - (tokens / highest(stack)) * (bottom - top);
  return [yOf(base), yOf(base + (heights[band * columns + column] ?? 0))];
}

/** Sets the size of a canvas for the screen's pixels and returns its context, in CSS pixels. */
function contextOf(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const context = canvas?.getContext("2d");
  if (canvas === null || context === null || context === undefined) return undefined;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

/** The width of an element, which follows the window. */
function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const watcher = new ResizeObserver(() => setWidth(element.clientWidth));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [box]);
  return width;
}
