import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { parseSync } from "oxc-parser";
import { describe, expect, it, onTestFinished } from "vitest";

import { chooseMutants } from "../mutants/choose-mutants.ts";
import { findMutants } from "../mutants/find-mutants.ts";
import { endedIn, foundIn, type LogLine } from "../mutants/mutant-log.ts";
import { putMutant, switchMutants } from "../mutants/switch-mutants.ts";

const root = join(import.meta.dirname, "..", "..");

describe("the mutants of a source", () => {
  it.each([
    ["if (a) b = c;", ["condition: a → !(a)", "removed statement: b = c; → "]],
    ["x = a === b;", ["condition: a === b → a !== b"]],
    ["x = a < b;", ["condition: a < b → a >= b", "boundary: a < b → a <= b"]],
    ["x = a + b;", ["arithmetic: a + b → a - b"]],
    ['x = a + "";', ['constant: "" → "mutant"']],
    ["x += a;", ["arithmetic: x += a → x -= a"]],
    ["x = a ?? b;", ["logic: a ?? b → a"]],
    ["x = a && b;", ["logic: a && b → (a) || (b)"]],
    ["x = !a;", ["condition: !a → a"]],
    ["x = 1;", ["constant: 1 → 0"]],
    ["x = [a];", ["constant: [a] → []"]],
    ["x = `${a} b`;", ['constant: `${a} b` → ""']],
    ["x = a.some(b);", ["method: a.some(b) → a.every(b)"]],
    ["x = a.filter(b);", ["method: a.filter(b) → a"]],
    ["return a;", ["return: return a; → return undefined;"]],
    ["for (;;) continue;", ["removed statement: continue; → "]],
    ["x = a?.b.slice(1);", ["optional chain: a?.b.slice(1) → a.b.slice(1)"]],
  ])("in `%s` are found", (code, expected) => {
    const found = findMutants("a.ts", `function f() { ${code} }`);

    const texts = found.map(({ operator, of, becomes }) => `${operator}: ${of} → ${becomes}`);
    expect(texts).toEqual(expect.arrayContaining(expected));
  });

  it("are inside functions, and not in types, names of fields and what is assigned to", () => {
    const code = `
      const outside = 1 + 2;
      type Kind = "a" | "b";
      function f(x: { a: "c" }) { x["d"] = { e: x.a as "f" }; }`;

    const texts = findMutants("a.ts", code).map(({ of }) => of);

    expect(texts).toEqual(['x["d"] = { e: x.a as "f" };']);
  });

  it("have the line and the name of the declaration", () => {
    const code = "const a = 1;\nexport const f = (): number => {\n  return g(2);\n};\n";

    const places = findMutants("a.ts", code).map(({ line, within }) => [line, within]);

    expect(places).toEqual([
      [3, "f"],
      [3, "f"],
    ]);
  });
});

describe("mutants that are compiled into a source", () => {
  const code = `
    function f(list, limit) {
      let sum = 0;
      for (const one of list) {
        if (one?.size === undefined) continue;
        sum += one.size < limit ? one.size * 2 : -limit;
      }
      return [sum, list.some((one) => one?.size === 2) && sum > 3, \`\${sum}!\`, list?.[0]?.size ?? 7];
    }`;
  const mutants = findMutants("a.js", code).map((one, id) => ({ ...one, id }));
  const inputs = [[{ size: 1 }, undefined, { size: 2 }, { size: 5 }], [], [{ size: 3 }]];

  it("change nothing until one is switched on", () => {
    expect(resultsOf(switchMutants("a.js", code, mutants))).toEqual(resultsOf(code));
  });

  it.each(mutants)("act as the source with this one alone: $operator of $of", (mutant) => {
    const results = resultsOf(switchMutants("a.js", code, mutants), mutant.id);

    expect(results).toEqual(resultsOf(putMutant(code, mutant)));
  });

  it("report each turn of a loop, so that an endless one can be ended", () => {
    const loops =
      "function f() { for (let i = 0; i < 2; i += 1) i; while (false) {} do f; while (0) }";
    let turns = 0;

    const globals = { isMutant: () => false, onTurn: () => (turns += 1) };
    runInNewContext(`${switchMutants("a.js", loops, [])}; f();`, globals);

    expect(turns).toBe(3);
  });

  /** The results of `f`, or its errors, with a mutant switched on. */
  function resultsOf(source: string, active?: number): readonly unknown[] {
    const globals = { isMutant: (id: number) => id === active, onTurn: () => undefined };
    const f = runInNewContext(`${source}; f`, globals);
    return inputs.map((list) => {
      try {
        return f(list, 4);
      } catch (error) {
        return String(error);
      }
    });
  }
});

describe("the choice of mutants", () => {
  const files = {
    "packages/core/src/a/one.ts": "export function one(x: number) { return x > 1 ? x - 1 : 0; }",
    "packages/core/src/a/two.ts": "export function two(x: number) { return x === 5 || x < 3; }",
  };

  it("is the same for code that moved to another room or package", () => {
    const before = chosenIn(files, 1);

    const after = chosenIn(
      {
        "packages/core/src/b/one.ts": files["packages/core/src/a/one.ts"],
        "packages/links/src/two.ts": files["packages/core/src/a/two.ts"],
      },
      1,
    );

    expect(after).toEqual(before);
  });

  it("is another one with another seed", () => {
    expect(chosenIn(files, 2)).not.toEqual(chosenIn(files, 1));
  });

  it("has code that can be parsed, each mutant alone and all together", { timeout: 60_000 }, () => {
    const mutants = chooseMutants(root, 46, 500);

    const broken = [...Map.groupBy(mutants, ({ file }) => file)].flatMap(([file, inFile]) => {
      const source = readFileSync(join(root, file), "utf8");
      const codes = inFile.map((mutant) => putMutant(source, mutant));
      return [switchMutants(file, source, inFile), ...codes].flatMap(
        (code) => parseSync(file, code).errors,
      );
    });

    expect(mutants).toHaveLength(500);
    expect(broken).toEqual([]);
  });

  function chosenIn(sources: Readonly<Record<string, string>>, seed: number): readonly string[] {
    const folder = mkdtempSync(join(tmpdir(), "scm-mutants-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [file, text] of Object.entries(sources)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    return chooseMutants(folder, seed, 6).map(({ within, of, becomes }) =>
      [within, of, becomes].join(" "),
    );
  }
});

describe("the log of the tries", () => {
  const place = { file: "a.test.ts", test: "a test" };
  const other = { file: "b.test.ts", test: "b test" };

  it("has the mutants that were found, and the tries at which a process ended", () => {
    const lines: readonly LogLine[] = [
      { type: "try", id: 1, ...place },
      { type: "try", id: 2, ...other },
      { type: "found", id: 1, by: "failure", ...place },
      { type: "done", ...place },
    ];

    expect([...foundIn(lines).keys()]).toEqual([1]);
    expect(endedIn(lines)).toEqual([{ type: "try", id: 2, ...other }]);
  });
});
