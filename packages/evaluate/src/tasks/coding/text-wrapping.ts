import type { Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft } from "../task-draft.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { wrappingSources, wrappingTests } from "./sources/wrapping-sources.ts";

/** A fix in one turn: nothing is needed from earlier. It shows what the arms do where context does not matter. */
export function textWrapping(seed: number): Task {
  const name = "coding/text-wrapping";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Correct the wrapping of long words and of indented paragraphs in one turn",
  });
  const mark = choices.pick(["~", "+", "=", "%"]);
  for (const [path, text] of Object.entries(wrappingSources(choices.word(), mark)))
    draft.file(path, text);

  draft.prompt(
    "Two mistakes in this repository: `wrap` in `src/wrap.js` makes lines that are too long if a word is longer than the width, and it forgets the indent after the first line of a paragraph. A long word has to be cut into pieces; each piece but the last ends with the mark from `src/marks.js`, which counts as a part of the width. Find and correct both. The tests run with `node test/run.js`.",
    read("src/wrap.js"),
    read("src/marks.js"),
    read("src/paragraphs.js"),
    edit("src/wrap.js", oldWords, newWords),
    edit("src/wrap.js", oldIndent, newIndent),
    edit(
      "src/wrap.js",
      "import { paragraphs }",
      'import { cutMark } from "./marks.js";\nimport { paragraphs }',
    ),
    run("node test/run.js"),
    answer("Long words are cut, and each line has the indent of its paragraph."),
  );

  hiddenTests(draft, "wrapping", wrappingTests(mark));
  return draft.task();
}

const oldWords = `  const words = text.split(/\\s+/).filter((word) => word !== "");
`;

const newWords = `  const words = text
    .split(/\\s+/)
    .filter((word) => word !== "")
    .flatMap((word) => pieces(word, width));
`;

const oldIndent = `  const lines = fill(text, width - indent.length);
  return indent + lines.join("\\n");
}
`;

const newIndent = `  const lines = fill(text, width - indent.length);
  return lines.map((line) => indent + line).join("\\n");
}

/** A word in pieces that are not longer than the width. */
function pieces(word, width) {
  const found = [];
  let rest = word;
  while (rest.length > width) {
    found.push(rest.slice(0, width - cutMark.length) + cutMark);
    rest = rest.slice(width - cutMark.length);
  }
  return [...found, rest];
}
`;
