import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shellPipelines } from "../../src/calls/shell-commands.ts";

function words(line: string): readonly (readonly (readonly string[])[])[] {
  return shellPipelines(line).map((pipeline) => pipeline.map((command) => command.words));
}

describe("a command line", () => {
  test("is split at its operators and line breaks", () => {
    expect(words("a 1 && b | c; d || e & f\ng")).toEqual([
      [["a", "1"]],
      [["b"], ["c"]],
      [["d"]],
      [["e"]],
      [["f"]],
      [["g"]],
    ]);
  });

  test("loses its quotes and keeps the quoted text", () => {
    expect(words(`sed -n '1,5p' "a b.ts" c\\ d.ts "x \\"y\\" \\n"`)).toEqual([
      [["sed", "-n", "1,5p", "a b.ts", "c d.ts", 'x "y" \\n']],
    ]);
  });

  test("keeps substitutions as they are written, with the operators in them", () => {
    expect(words('cat "$(git rev-parse HEAD | head -1)" ${a;b} `x; y`')).toEqual([
      [["cat", "$(git rev-parse HEAD | head -1)", "${a;b}", "`x; y`"]],
    ]);
  });

  test("ends at a comment and continues after an escaped line break", () => {
    expect(words("a # b; c\nd \\\n e a#b")).toEqual([[["a"]], [["d", "e", "a#b"]]]);
  });

  test("names the files of its output and of its error output, except descriptors and devices", () => {
    const [[command] = []] = shellPipelines(
      "a >out.txt 2>&1 2>err.txt >> more.txt &>all.txt >/dev/null x",
    );

    expect(command).toEqual({
      words: ["a", "x"],
      outputs: ["out.txt", "more.txt", "all.txt"],
      errorOutputs: ["err.txt"],
    });
  });

  test("keeps the text of here-documents separate from the commands", () => {
    const line = "cat > a.txt <<'EOF' && b\none; two\nEOF\ncat <<-X\n\tthree\n\tX\nc";

    expect(shellPipelines(line)).toEqual([
      [{ words: ["cat"], outputs: ["a.txt"], hereDocument: "one; two" }],
      [{ words: ["b"], outputs: [] }],
      [{ words: ["cat"], outputs: [], hereDocument: "three" }],
      [{ words: ["c"], outputs: [] }],
    ]);
  });

  test("ends with the text if a quote or a here-document is not closed", () => {
    expect(words("a 'b c")).toEqual([[["a", "b c"]]]);
    expect(shellPipelines("cat <<EOF\none")).toEqual([
      [{ words: ["cat"], outputs: [], hereDocument: "one" }],
    ]);
  });

  test("returns every quoted word unchanged", () => {
    const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
    const word = fc.string({ unit: "binary" });

    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (list) => {
        expect(words(list.map(quoted).join(" "))).toEqual([[list]]);
      }),
    );
  });

  test("is read to its end for any text", () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from("ab '\"\\`$(){}<>|&;\n#2-")) });

    fc.assert(
      fc.property(text, (line) => {
        const commands = shellPipelines(line).flat();
        expect(commands.every((command) => command.words.every((w) => typeof w === "string"))).toBe(
          true,
        );
      }),
    );
  });
});
