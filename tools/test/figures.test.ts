import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

import { figures, figureTable, measuredFigures, regressions } from "../../bench/src/figures.ts";

const root = join(import.meta.dirname, "..", "..");
const results = pathToFileURL(join(root, "bench", "results", "/"));

describe("the figures of the benchmarks", () => {
  it("are in README.md as the results have them; `npm run bench -- --table` writes them", () => {
    const readme = readFileSync(join(root, "bench", "README.md"), "utf8");

    expect(
      cells(/<!-- figures -->([^]*)<!-- end of the figures -->/u.exec(readme)?.[1] ?? ""),
    ).toEqual(cells(figureTable(measuredFigures(results))));
  });

  it("come from scripts that the packages have", () => {
    const missing = figures.filter(({ of: { folder, script } }) => {
      const { scripts } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
        scripts: Record<string, string>;
      };
      return scripts[script] === undefined;
    });

    expect(missing).toEqual([]);
  });

  it("are worse by more than 15 % only if a ratio changed in the direction that is worse", () => {
    const [cost, read] = [measuredOf("at most"), measuredOf("at least")];
    const changed = (one: typeof cost, factor: number): typeof cost => ({
      ...one,
      ratio: one.ratio * factor,
    });

    expect(regressions([cost, read], [changed(cost, 1.1), changed(read, 0.9)])).toEqual([]);
    expect(regressions([cost, read], [changed(cost, 0.5), changed(read, 2)])).toEqual([]);
    expect(regressions([cost], [changed(cost, 1.2)])).toEqual([
      `${cost.figure}: ${cost.ratio * 1.2}, was ${cost.ratio} at ${cost.commit}`,
    ]);
    expect(regressions([read], [changed(read, 0.8)])).toHaveLength(1);
  });
});

function measuredOf(aim: "at most" | "at least") {
  const figure = figures.find(
    ({ most, least }) => (aim === "at most" ? most : least) !== undefined,
  );
  if (figure === undefined) throw new TypeError(`no figure has the aim ${aim}`);
  return {
    figure: figure.figure,
    baseline: figure.baseline,
    ratio: 0.5,
    machine: "m",
    commit: "c",
  };
}

/** The cells of a table in Markdown, without the spaces and the line below the head. */
function cells(text: string): readonly (readonly string[])[] {
  return text.split("\n").flatMap((line) => {
    const row = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    return row.every((cell) => /^-*:?$/u.test(cell)) ? [] : [row];
  });
}
