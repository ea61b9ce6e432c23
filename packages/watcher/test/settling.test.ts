import type { Sighting } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";

import { settling, usualTiming } from "../src/settling.ts";

const path = "/a.txt";

function file(size: number, node = "1:1"): Sighting {
  return { state: "file", path, at: 0, node, size, modified: size, changed: size };
}

const absent: Sighting = { state: "absent", path, at: 0 };

describe("a path with events", () => {
  it("is due after a time without further events", () => {
    const paths = settling(usualTiming);
    paths.touch(path, 0);
    paths.touch(path, 20);

    expect(paths.takeDue(40)).toEqual([]);
    expect(paths.nextDue()).toBe(45);
    expect(paths.takeDue(45)).toEqual([path]);
    expect(paths.settles(path, file(1), undefined, 45)).toBe(true);
    expect(paths.size).toBe(0);
  });

  it("is due after half a second of continuous events", () => {
    const paths = settling(usualTiming);
    for (let now = 0; now <= 490; now += 10) paths.touch(path, now);

    expect(paths.takeDue(499)).toEqual([]);
    expect(paths.takeDue(500)).toEqual([path]);
  });

  it("is looked at again if it differs from the look before", () => {
    const paths = settling(usualTiming);
    paths.touch(path, 0, file(1));
    paths.takeDue(25);

    expect(paths.settles(path, file(2), undefined, 25)).toBe(false);
    expect(paths.takeDue(50)).toEqual([path]);
    expect(paths.settles(path, file(2), undefined, 50)).toBe(true);
  });

  it("is reported absent only if it stays absent", () => {
    const paths = settling(usualTiming);
    paths.touch(path, 0);
    paths.takeDue(25);

    expect(paths.settles(path, absent, file(1), 25)).toBe(false);
    expect(paths.takeDue(324)).toEqual([]);
    expect(paths.takeDue(325)).toEqual([path]);
    expect(paths.settles(path, absent, file(1), 325)).toBe(true);
  });

  it("counts its absence from the first look, independent of later events", () => {
    const paths = settling(usualTiming);
    paths.touch(path, 0);
    paths.takeDue(25);
    paths.settles(path, absent, file(1), 25);

    paths.touch(path, 300);

    expect(paths.takeDue(325)).toEqual([path]);
    expect(paths.settles(path, absent, file(1), 325)).toBe(true);
  });

  it("is reported present if it comes back in time", () => {
    const paths = settling(usualTiming);
    paths.touch(path, 0);
    paths.takeDue(25);
    paths.settles(path, absent, file(1), 25);
    paths.touch(path, 100);

    paths.takeDue(125);

    expect(paths.settles(path, file(2), file(1), 125)).toBe(false);
    expect(paths.takeDue(150)).toEqual([path]);
    expect(paths.settles(path, file(2), file(1), 150)).toBe(true);
  });

  it("is reported empty only if it stays empty", () => {
    const paths = settling(usualTiming);
    paths.touch(path, 0);
    paths.takeDue(25);

    expect(paths.settles(path, file(0), file(9), 25)).toBe(false);
    expect(paths.takeDue(150)).toEqual([path]);
    expect(paths.settles(path, file(0), file(9), 150)).toBe(true);
  });
});
