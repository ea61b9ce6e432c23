import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { occurrences } from "../faults/deliberate-fault.ts";
import { faultyPackages } from "../faults/faulty-packages.ts";

const packages = join(import.meta.dirname, "..", "..", "packages");

/** Rooms that declare types only, or only re-export. */
const withoutCode = new Set(["ports", "doors"]);

describe.each(faultyPackages)("a deliberate fault of $name", ({ name, faults }) => {
  const src = join(packages, name, "src");

  test.each(faults)("changes one place of $file: $breaks", ({ file, of, becomes }) => {
    const source = readFileSync(join(src, file), "utf8");

    expect(occurrences(source, of)).toBe(1);
    expect(becomes).not.toBe(of);
  });

  test("is listed once, and for each room", () => {
    const rooms = readdirSync(src, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !withoutCode.has(entry.name))
      .map((entry) => entry.name);

    expect(new Set(faults.map(({ breaks }) => breaks)).size).toBe(faults.length);
    // A small package has its files beside each other, without rooms.
    const inRooms = faults.filter(({ file }) => file.includes("/"));
    expect(new Set(inRooms.map(({ file }) => file.split("/")[0]))).toEqual(new Set(rooms));
  });
});
