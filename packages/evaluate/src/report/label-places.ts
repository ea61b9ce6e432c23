/** A rectangle by its corners. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface LabelledPoint {
  readonly x: number;
  readonly y: number;
  readonly label: string;
  /** Lines through the point, such as error bars, that a label should not cover. */
  readonly lines: readonly Box[];
}

export interface LabelPlace {
  /** The left end of the text's base line. */
  readonly x: number;
  readonly y: number;
  readonly box: Box;
  /** Whether the label is so far from its point that a line must join them. */
  readonly isFar: boolean;
}

const height = 15;
const radius = 7;

/** Estimated, because nothing is drawn yet; letters of the usual sans-serif fonts are narrower on average. */
export function labelWidth(label: string): number {
  return label.length * 7 + 2;
}

/**
 * Places labels beside their points, so that they cover neither each other nor another point, and lines only if there is
 * no other place. The same points give the same places.
 */
export function labelPlaces(points: readonly LabelledPoint[], area: Box): readonly LabelPlace[] {
  const marks = points.map(({ x, y }) => around(x, y, radius));
  const lines = points.flatMap((point) => point.lines);
  const placed: Box[] = [];
  return points.map((point, index) => {
    let best: { readonly place: LabelPlace; readonly cost: number } | undefined;
    for (const place of candidates(point)) {
      const outside = isInside(place.box, area) ? 0 : 1e6;
      const onLabels = placed.reduce((sum, box) => sum + overlap(box, place.box), 0);
      const onMarks = marks.reduce(
        (sum, box, at) => (at === index ? sum : sum + overlap(box, place.box)),
        0,
      );
      const onLines = lines.filter((line) => overlap(line, place.box) > 0).length;
      const distance = Math.hypot(
        (place.box.left + place.box.right) / 2 - point.x,
        (place.box.top + place.box.bottom) / 2 - point.y,
      );
      const cost = outside + 1000 * onLabels + 300 * onMarks + 25 * onLines + distance;
      if (best === undefined || cost < best.cost) best = { place, cost };
    }
    if (best === undefined) throw new TypeError("a point has no candidates for its label");
    placed.push(best.place.box);
    return best.place;
  });
}

/** Places around a point: beside it, and in rings at larger distances. */
function candidates({ x, y, label }: LabelledPoint): readonly LabelPlace[] {
  const width = labelWidth(label);
  const rings = [10, 20, 32, 46, 62, 80, 100, 125, 150, 180];
  const directions = 16;
  return rings.flatMap((distance) =>
    Array.from({ length: directions }, (_, step): LabelPlace => {
      const angle = (2 * Math.PI * step) / directions;
      const centreX = x + Math.cos(angle) * (distance + width / 2);
      const centreY = y + Math.sin(angle) * (distance + height / 4);
      const box = {
        left: centreX - width / 2,
        right: centreX + width / 2,
        top: centreY - height / 2,
        bottom: centreY + height / 2,
      };
      return { x: box.left + 1, y: box.bottom - 4, box, isFar: distance > 20 };
    }),
  );
}

function around(x: number, y: number, reach: number): Box {
  return { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach };
}

function isInside(box: Box, area: Box): boolean {
  return (
    box.left >= area.left &&
    box.right <= area.right &&
    box.top >= area.top &&
    box.bottom <= area.bottom
  );
}

/** The area that two boxes share. Lines have no area: they count with their length. */
function overlap(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const depth = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width < 0 || depth < 0 ? 0 : Math.max(width, 0.5) * Math.max(depth, 0.5);
}
