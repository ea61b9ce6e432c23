import { hasInterval, type RatioEstimate } from "../statistics/bootstrap.ts";
import { html, type Html, noHtml } from "./html.ts";
import { type Box, type LabelledPoint, type LabelPlace, labelPlaces } from "./label-places.ts";
import { cut } from "./text-table.ts";

export interface PlotPoint {
  readonly name: string;
  /** `baseline` is a square, `managed` a filled circle, `other` a ring. */
  readonly kind: "baseline" | "managed" | "other";
  readonly x: RatioEstimate;
  readonly y: RatioEstimate;
}

interface PlotAxis {
  readonly label: string;
  show(value: number): string;
  /** Values beyond it are drawn at the edge, with their value. */
  readonly most?: number;
}

export interface PlotContent {
  /** For readers who do not see the plot. */
  readonly title: string;
  readonly points: readonly PlotPoint[];
  readonly across: PlotAxis;
  readonly up: PlotAxis;
}

interface Size {
  readonly className: "wide" | "narrow";
  readonly width: number;
  readonly height: number;
}

const sizes: readonly Size[] = [
  { className: "wide", width: 1100, height: 560 },
  { className: "narrow", width: 350, height: 460 },
];

/** Points with error bars both ways: drawn twice, for wide and narrow pages, so that texts keep their size. */
export function scatterPlot(content: PlotContent): Html {
  if (content.points.length === 0) return noHtml;
  return html`${sizes.map((size) => drawing(content, size))}`;
}

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
  at(value: number): number;
}

const margin = { top: 34, right: 30, bottom: 50, left: 58 } as const;

function drawing({ title, points, across, up }: PlotContent, size: Size): Html {
  const area: Box = {
    left: margin.left,
    right: size.width - margin.right,
    top: margin.top,
    bottom: size.height - margin.bottom,
  };
  const x = scaleOf(
    points.map((point) => point.x),
    across,
    {
      start: area.left,
      end: area.right,
      ticks: size.className === "wide" ? 8 : 4,
    },
  );
  const y = scaleOf(
    points.map((point) => point.y),
    up,
    {
      start: area.bottom,
      end: area.top,
      ticks: 6,
    },
  );
  const drawn = points.map((point): LabelledPoint & { readonly point: PlotPoint } => {
    const at = { x: x.at(point.x.value), y: y.at(point.y.value) };
    const beyond = point.x.value > x.to ? ` → ${across.show(point.x.value)}` : "";
    return {
      ...at,
      point,
      label: `${cut(point.name, 28)}${beyond}`,
      lines: bars(point, { x, y, at }),
    };
  });
  const places = labelPlaces(drawn, area);
  return html`<svg
    class="${size.className}"
    viewBox="0 0 ${size.width} ${size.height}"
    role="img"
    aria-label="${title}"
  >
    ${axes({ x, y, across, up, area })}
    ${drawn.map(({ lines }) => lines.map(({ left, right, top, bottom }) => line("bar", [left, top, right, bottom])))}
    ${drawn.map(({ x: left, y: top }, index) => leader(left, top, places[index]))}
    ${drawn.map(({ x: left, y: top, point }) => mark(point, left, top))}
    ${drawn.map(({ label }, index) => {
      const place = places[index];
      return place === undefined
        ? noHtml
        : html`<text class="halo" x="${round(place.x)}" y="${round(place.y)}">${label}</text> `;
    })}
  </svg> `;
}

/** The error bars of a point, inside the scales. */
function bars(
  { x: across, y: up }: PlotPoint,
  {
    x,
    y,
    at,
  }: {
    readonly x: Scale;
    readonly y: Scale;
    readonly at: { readonly x: number; readonly y: number };
  },
): readonly Box[] {
  return [
    ...(hasInterval(across)
      ? [{ left: x.at(across.lower), right: x.at(across.upper), top: at.y, bottom: at.y }]
      : []),
    ...(hasInterval(up)
      ? [{ left: at.x, right: at.x, top: y.at(up.upper), bottom: y.at(up.lower) }]
      : []),
  ];
}

function mark({ name, kind }: PlotPoint, x: number, y: number): Html {
  return kind === "baseline"
    ? html`<rect class="baseline" x="${round(x - 5.5)}" y="${round(y - 5.5)}" width="11" height="11"
        ><title>${name}</title></rect
      > `
    : html`<circle
        class="${kind}"
        cx="${round(x)}"
        cy="${round(y)}"
        r="${kind === "managed" ? 6 : 5}"
        ><title>${name}</title></circle
      > `;
}

/** A line from a point to the nearest place of its label's box. */
function leader(x: number, y: number, place: LabelPlace | undefined): Html {
  if (place === undefined || !place.isFar) return noHtml;
  const { left, right, top, bottom } = place.box;
  const nearest = [Math.min(right, Math.max(left, x)), Math.min(bottom, Math.max(top, y))] as const;
  return line("leader", [x, y, ...nearest]);
}

interface AxesContent {
  readonly x: Scale;
  readonly y: Scale;
  readonly across: PlotAxis;
  readonly up: PlotAxis;
  readonly area: Box;
}

function axes({ x, y, across, up, area }: AxesContent): Html {
  return html`${x.ticks.map((tick) => {
      const at = round(x.at(tick));
      return html`${line("grid", [at, area.top, at, area.bottom])}<text
          class="tick"
          x="${at}"
          y="${area.bottom + 17}"
          text-anchor="middle"
          >${across.show(tick)}</text
        > `;
    })}${y.ticks.map((tick) => {
      const at = round(y.at(tick));
      return html`${line("grid", [area.left, at, area.right, at])}<text
          class="tick"
          x="${area.left - 7}"
          y="${round(at + 4)}"
          text-anchor="end"
          >${up.show(tick)}</text
        > `;
    })}${line("axis", [area.left, area.bottom, area.right, area.bottom])}${line("axis", [area.left, area.top, area.left, area.bottom])}
    <text x="${(area.left + area.right) / 2}" y="${area.bottom + 40}" text-anchor="middle"
      >${across.label}</text
    >
    <text x="6" y="16">${up.label}</text> `;
}

function line(
  className: string,
  [x1, y1, x2, y2]: readonly [number, number, number, number],
): Html {
  return html`<line
    class="${className}"
    x1="${round(x1)}"
    y1="${round(y1)}"
    x2="${round(x2)}"
    y2="${round(y2)}"
  />`;
}

/** A scale with round ticks that contains all values with their bounds, as far as the axis allows. */
function scaleOf(
  values: readonly RatioEstimate[],
  { most = Number.POSITIVE_INFINITY }: PlotAxis,
  {
    start,
    end,
    ticks: wished,
  }: { readonly start: number; readonly end: number; readonly ticks: number },
): Scale {
  const ends = values
    .flatMap((value) =>
      hasInterval(value) ? [value.lower, value.value, value.upper] : [value.value],
    )
    .map((value) => Math.min(value, most));
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const spread = high - low || Math.abs(high) || 1;
  const step = niceStep(spread / wished);
  // A scale from 0 shows proportions, so that it begins there unless that takes much of the room.
  const least = low - spread * 0.06;
  const from = low >= 0 && least < spread * 0.4 ? 0 : Math.floor(least / step) * step;
  const to = Math.min(Math.ceil((high + spread * 0.06) / step) * step, Math.max(most, high));
  const count = Math.floor((to - from) / step + 1e-9);
  return {
    from,
    to,
    ticks: Array.from({ length: count + 1 }, (_, index) => from + index * step),
    at: (value) =>
      start + ((end - start) * (Math.min(to, Math.max(from, value)) - from)) / (to - from || 1),
  };
}

/** The next of 1, 2 and 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
