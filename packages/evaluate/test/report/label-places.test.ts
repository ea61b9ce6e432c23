import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { type Box, labelPlaces, labelWidth } from "../../src/report/label-places.ts";

const area: Box = { left: 0, top: 0, right: 1000, bottom: 500 };

function areApart(a: Box, b: Box): boolean {
  return a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
}

describe("labels of points", () => {
  const point = fc.record({
    x: fc.integer({ min: 100, max: 900 }),
    y: fc.integer({ min: 50, max: 450 }),
    label: fc.string({ minLength: 1, maxLength: 18 }),
    lines: fc.constant([]),
  });

  test("do not cover each other, and stay inside the plot", () => {
    fc.assert(
      fc.property(fc.array(point, { maxLength: 12 }), (points) => {
        const boxes = labelPlaces(points, area).map(({ box }) => box);

        for (const [index, box] of boxes.entries()) {
          expect(boxes.slice(0, index).every((other) => areApart(box, other))).toBe(true);
          expect(box.left).toBeGreaterThanOrEqual(0);
          expect(box.right).toBeLessThanOrEqual(1000);
        }
      }),
    );
  });

  test("do not cover each other where all points are at the same place", () => {
    const points = Array.from({ length: 12 }, (_, index) => ({
      x: 500,
      y: 250,
      label: `an arm ${index}`,
      lines: [],
    }));

    const places = labelPlaces(points, area);

    for (const [index, { box }] of places.entries())
      expect(places.slice(0, index).every((other) => areApart(box, other.box))).toBe(true);
    expect(places.filter(({ isFar }) => isFar).length).toBeGreaterThan(0);
  });

  test("are beside their point if nothing else is there", () => {
    const [place] = labelPlaces([{ x: 500, y: 250, label: "default", lines: [] }], area);

    expect(place?.isFar).toBe(false);
    expect((place?.box.right ?? 0) - (place?.box.left ?? 0)).toBeCloseTo(labelWidth("default"), 6);
  });

  test("avoid the error bars of points", () => {
    const bars = [
      { left: 400, right: 600, top: 250, bottom: 250 },
      { left: 500, right: 500, top: 150, bottom: 350 },
    ];

    const [place] = labelPlaces([{ x: 500, y: 250, label: "default", lines: bars }], area);

    for (const bar of bars) expect(areApart(place?.box ?? area, bar)).toBe(true);
  });
});
