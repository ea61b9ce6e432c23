import type { CostLines } from "./cost-lines.ts";
import { short } from "../text/format.ts";
import { axisTicks, callTicks } from "./axis.ts";
import type { CallMark } from "./marks.ts";
import { columnOf, type Stack } from "./stack.ts";
import { kindColours, type Palette } from "./palette.ts";

/** Where the parts of the picture are, in CSS pixels. */
export interface Places {
  readonly width: number;
  readonly left: number;
  readonly right: number;
  readonly epochs: number;
  readonly misses: number;
  readonly top: number;
  readonly bottom: number;
  readonly costTop: number;
  readonly costBottom: number;
  readonly height: number;
}

/** The places for a width. A narrow picture has a smaller margin. */
export function placesFor(width: number): Places {
  const isNarrow = width < 560;
  const bottom = isNarrow ? 286 : 356;
  return {
    width,
    left: isNarrow ? 44 : 74,
    right: width - 10,
    epochs: 12,
    misses: 32,
    top: 46,
    bottom,
    costTop: bottom + 46,
    costBottom: bottom + 126,
    height: bottom + 134,
  };
}

export interface TokenDrawing {
  readonly stack: Stack;
  readonly cost: CostLines;
  readonly costTitle: string;
  readonly marks: readonly CallMark[];
  /** The number of the first and the last call of the range. */
  readonly first: number;
  readonly last: number;
  readonly places: Places;
  readonly palette: Palette;
}

/** The largest number of tokens of the picture: the top of its axis. */
export function highest({ totals, reported }: Stack): number {
  let most = 1;
  for (const [column, total] of totals.entries()) {
    const other = reported[column] ?? Number.NaN;
    most = Math.max(most, total, Number.isNaN(other) ? 0 : other);
  }
  return most * 1.04;
}

/** Draws the picture of tokens by object over calls. */
export function drawTokens(context: CanvasRenderingContext2D, drawing: TokenDrawing): void {
  const { stack, places, palette } = drawing;
  context.clearRect(0, 0, places.width, places.height);
  context.font = palette.font;
  context.textBaseline = "middle";
  const most = highest(stack);
  const yOf = (tokens: number): number =>
    places.bottom - (tokens / most) * (places.bottom - places.top);
  const canvas = { ...drawing, context, most, yOf };
  drawAxis(canvas);
  drawBands(canvas);
  drawCached(canvas);
  drawReported(canvas);
  drawKindNames(canvas);
  drawMarks(context, drawing);
  drawCost(context, drawing);
}

/** The left edge of a column. */
export function columnX({ columns }: Stack, { left, right }: Places, column: number): number {
  return left + (column * (right - left)) / columns;
}

/** A drawing with the canvas that it is drawn on. */
interface Canvas extends TokenDrawing {
  readonly context: CanvasRenderingContext2D;
  readonly most: number;
  readonly yOf: (tokens: number) => number;
}

function drawAxis({ context, places, palette, first, last, most, yOf }: Canvas): void {
  const { left, right, bottom, width } = places;
  context.lineWidth = 1;
  context.textAlign = "right";
  for (const tick of axisTicks(most, 5)) {
    const y = Math.round(yOf(tick)) + 0.5;
    context.strokeStyle = palette.grid;
    line(context, left, y, right, y);
    context.fillStyle = palette.quiet;
    context.fillText(short(tick), left - 6, y);
  }
  context.textAlign = "center";
  for (const tick of callTicks(first, last, width < 560 ? 4 : 9)) {
    const x = left + ((tick - first + 0.5) * (right - left)) / (last - first + 1);
    context.fillStyle = palette.quiet;
    context.fillText(String(tick), Math.min(right - 8, x), bottom + 13);
  }
  context.textAlign = "right";
  context.fillText("call", left - 6, bottom + 13);
  context.fillText(width < 560 ? "epoch" : "epoch end", left - 6, places.epochs);
  context.fillText(width < 560 ? "miss" : "cache miss", left - 6, places.misses);
}

function drawBands({ context, stack, places, palette, yOf }: Canvas): void {
  const { columns, bands, heights } = stack;
  const base = new Float64Array(columns);
  const seen = new Map<string, number>();
  for (const [index, { kind }] of bands.entries()) {
    const top = new Float64Array(columns);
    for (let column = 0; column < columns; column++)
      top[column] = (base[column] ?? 0) + (heights[index * columns + column] ?? 0);
    const place = seen.get(kind) ?? 0;
    seen.set(kind, place + 1);
    context.beginPath();
    areaPath(context, { stack, places, base, top, yOf });
    context.fillStyle = kindColours(palette, kind, place);
    context.fill();
    base.set(top);
  }
}

interface Area {
  readonly stack: Stack;
  readonly places: Places;
  readonly base: Float64Array;
  readonly top: Float64Array;
  readonly yOf: (tokens: number) => number;
}

/** Adds the steps between two heights of each column to the path, without the columns in which they are equal. */
function areaPath(
  context: CanvasRenderingContext2D,
  { stack, places, base, top, yOf }: Area,
): void {
  const { columns } = stack;
  let column = 0;
  while (column < columns) {
    if (top[column] === base[column]) {
      column++;
      continue;
    }
    const start = column;
    while (column < columns && top[column] !== base[column]) column++;
    context.moveTo(columnX(stack, places, start), yOf(base[start] ?? 0));
    for (let one = start; one < column; one++) {
      const y = yOf(top[one] ?? 0);
      context.lineTo(columnX(stack, places, one), y);
      context.lineTo(columnX(stack, places, one + 1), y);
    }
    for (let one = column - 1; one >= start; one--) {
      const y = yOf(base[one] ?? 0);
      context.lineTo(columnX(stack, places, one + 1), y);
      context.lineTo(columnX(stack, places, one), y);
    }
    context.closePath();
  }
}

/** A veil over the height that was read from the cache; hatched where that height is an estimate. */
function drawCached({ context, stack, places, palette, yOf }: Canvas): void {
  const { columns, cached, cachedReported, totals } = stack;
  const base = new Float64Array(columns);
  const limited = (isReported: boolean): Float64Array =>
    cached.map((tokens, column) =>
      (cachedReported[column] ?? 0) >= 0.5 === isReported
        ? Math.min(tokens, totals[column] ?? 0)
        : 0,
    );
  for (const isReported of [true, false]) {
    context.beginPath();
    areaPath(context, { stack, places, base, top: limited(isReported), yOf });
    context.fillStyle = palette.veil;
    context.fill();
    if (isReported) continue;
    const hatch = hatchOf(context, palette);
    if (hatch === null) continue;
    context.fillStyle = hatch;
    context.fill();
  }
}

function hatchOf(context: CanvasRenderingContext2D, palette: Palette): CanvasPattern | null {
  const tile = document.createElement("canvas");
  tile.width = 6;
  tile.height = 6;
  const inside = tile.getContext("2d");
  if (inside === null) return null;
  inside.strokeStyle = palette.ink;
  inside.globalAlpha = 0.45;
  inside.lineWidth = 1;
  inside.beginPath();
  for (const shift of [-6, 0, 6]) {
    inside.moveTo(shift - 1, 7);
    inside.lineTo(shift + 7, -1);
  }
  inside.stroke();
  return context.createPattern(tile, "repeat");
}

function drawReported({ context, stack, places, palette, yOf }: Canvas): void {
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  let isDrawn = false;
  for (const [column, tokens] of stack.reported.entries()) {
    if (Number.isNaN(tokens)) {
      isDrawn = false;
      continue;
    }
    const y = yOf(tokens);
    const x = columnX(stack, places, column);
    if (isDrawn) context.lineTo(x, y);
    else context.moveTo(x, y);
    context.lineTo(columnX(stack, places, column + 1), y);
    isDrawn = true;
  }
  context.stroke();
}

/** Writes the name of each kind where it is highest, so that its colour needs no legend. */
function drawKindNames({ context, stack, places, palette, yOf }: Canvas): void {
  const { columns, bands, heights } = stack;
  const base = new Float64Array(columns);
  context.textAlign = "center";
  context.lineJoin = "round";
  const kinds = [...new Set(bands.map(({ kind }) => kind))];
  for (const kind of kinds) {
    const height = new Float64Array(columns);
    for (const [index, band] of bands.entries())
      if (band.kind === kind)
        for (let column = 0; column < columns; column++)
          height[column] = (height[column] ?? 0) + (heights[index * columns + column] ?? 0);
    let best = 0;
    for (let column = 0; column < columns; column++)
      if ((height[column] ?? 0) > (height[best] ?? 0)) best = column;
    const [low, high] = [yOf(base[best] ?? 0), yOf((base[best] ?? 0) + (height[best] ?? 0))];
    if (low - high > 15) {
      const text = palette.names[kind];
      const half = context.measureText(text).width / 2 + 4;
      const x = Math.max(
        places.left + half,
        Math.min(places.right - half, columnX(stack, places, best + 0.5)),
      );
      context.strokeStyle = palette.surface;
      context.lineWidth = 3.5;
      context.strokeText(text, x, (low + high) / 2);
      context.fillStyle = palette.ink;
      context.fillText(text, x, (low + high) / 2);
    }
    for (let column = 0; column < columns; column++)
      base[column] = (base[column] ?? 0) + (height[column] ?? 0);
  }
}

function drawMarks(context: CanvasRenderingContext2D, drawing: TokenDrawing): void {
  const { stack, places, palette, marks } = drawing;
  const { range, columns } = stack;
  const inRange = marks.filter(({ index }) => index >= range.from && index < range.to);
  const xOf = ({ index }: CallMark): number =>
    columnX(stack, places, columnOf(range, columns, index)) + 0.5;
  const epochs = inRange.filter(({ type }) => type === "epoch");
  // Many lines would hide what they mark.
  const strength = epochs.length > 40 ? 0.25 : 0.55;
  context.textAlign = "left";
  for (const [place, mark] of epochs.entries()) {
    const x = xOf(mark);
    context.strokeStyle = palette.ink;
    context.globalAlpha = strength;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    line(context, x, places.epochs + 5, x, places.bottom);
    context.setLineDash([]);
    context.globalAlpha = 1;
    context.fillStyle = palette.ink;
    triangle(context, x, places.epochs);
    const next = epochs[place + 1];
    const end = next === undefined ? places.right : xOf(next) - 8;
    if (x + 8 + context.measureText(mark.label).width < end)
      context.fillText(mark.label, x + 8, places.epochs);
  }
  for (const mark of inRange) {
    const x = xOf(mark);
    if (mark.type === "miss") {
      context.fillStyle = palette.bad;
      diamond(context, x, places.misses);
    } else if (mark.type === "damaged") {
      context.strokeStyle = palette.bad;
      context.lineWidth = 2;
      line(context, x - 3, places.bottom - 10, x + 5, places.bottom - 2);
      line(context, x - 3, places.bottom - 2, x + 5, places.bottom - 10);
    }
  }
}

function drawCost(context: CanvasRenderingContext2D, drawing: TokenDrawing): void {
  const { stack, cost, costTitle, places, palette } = drawing;
  const { left, right, costTop, costBottom } = places;
  const most = Math.max(1, ...cost.own, ...cost.plain) * 1.05;
  const yOf = (units: number): number => costBottom - (units / most) * (costBottom - costTop);
  context.textAlign = "left";
  context.fillStyle = palette.quiet;
  context.fillText(costTitle, left, costTop - 12);
  if (!cost.plain.some((units) => units > 0)) {
    context.fillText("no cost was recorded", left, (costTop + costBottom) / 2);
    return;
  }
  for (const tick of axisTicks(most, 2)) {
    const y = Math.round(yOf(tick)) + 0.5;
    context.strokeStyle = palette.grid;
    context.lineWidth = 1;
    line(context, left, y, right, y);
    context.textAlign = "right";
    context.fillText(short(tick), left - 6, y);
  }
  const draw = (values: Float64Array, isPart: (column: number) => boolean): void => {
    context.beginPath();
    for (const [column, value] of values.entries()) {
      const x = columnX(stack, places, column + 0.5);
      if (column > 0 && isPart(column)) context.lineTo(x, yOf(value));
      else context.moveTo(x, yOf(value));
    }
    context.stroke();
  };
  const isReported = (column: number): boolean => cost.isReported[column] === 1;
  context.lineWidth = 1.5;
  context.strokeStyle = palette.quiet;
  context.setLineDash([5, 3]);
  draw(cost.plain, () => true);
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  context.setLineDash([2, 3]);
  draw(cost.own, (column) => !isReported(column));
  context.setLineDash([]);
  draw(cost.own, isReported);
  nameLine(context, drawing, { values: cost.plain, text: "plain host", yOf, at: 2 / 3 });
  nameLine(context, drawing, { values: cost.own, text: "as sent", yOf, at: 1 / 3 });
}

/** Writes the name of a line above one of its places. */
function nameLine(
  context: CanvasRenderingContext2D,
  { stack, places, palette }: TokenDrawing,
  {
    values,
    text,
    yOf,
    at,
  }: {
    readonly values: Float64Array;
    readonly text: string;
    readonly yOf: (units: number) => number;
    /** The share of the line's length. */
    readonly at: number;
  },
): void {
  const column = Math.floor(stack.columns * at);
  const x = columnX(stack, places, column);
  const y = Math.max(places.costTop, yOf(values[column] ?? 0) - 9);
  context.textAlign = "right";
  context.lineJoin = "round";
  context.lineWidth = 3.5;
  context.strokeStyle = palette.surface;
  context.strokeText(text, x, y);
  context.fillStyle = palette.ink;
  context.fillText(text, x, y);
}

function line(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  toX: number,
  toY: number,
): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

function triangle(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.moveTo(x - 5, y - 4);
  context.lineTo(x + 5, y - 4);
  context.lineTo(x, y + 5);
  context.fill();
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.moveTo(x, y - 5);
  context.lineTo(x + 4, y);
  context.lineTo(x, y + 5);
  context.lineTo(x - 4, y);
  context.fill();
}
