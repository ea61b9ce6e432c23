import type { OddAnswer, OddCall, OddFile, OddScenario } from "./odd-scenario.ts";

const shows = (file: OddFile, id?: string): OddCall => ({
  ...(id === undefined ? {} : { id }),
  calls: { shows: file },
});

/** A call of each tool of the host with the same arguments. */
const each = (args: unknown): readonly OddCall[] => [{ calls: { args } }];

/** More levels than a message keeps, and fewer than a host can send: Pi 1.5.2 alone sends no arguments with 2,000. */
const depth = 600;

function nested(): unknown {
  let value: unknown = "innermost";
  for (let level = 0; level < depth; level += 1) value = { value };
  return value;
}

/** Arguments that models and servers give instead of an object. */
const oddArguments: Readonly<Record<string, unknown>> = {
  null: null,
  "a text": "a.txt",
  "a list": ["a.txt"],
  nothing: {},
};

/** The situations. Each is played on every host. */
export const oddScenarios: readonly OddScenario[] = [
  ...(["dup", ""] as const).map((id): OddScenario => ({
    name: id === "" ? "calls with an empty id" : "calls of one id, in one answer and in several",
    async play({ prompt, resume }) {
      await prompt(
        "the words of prompt_1",
        [shows("a.txt", id), shows("b.txt", id)],
        [shows("c.txt", id)],
        "the words of answer_1",
      );
      await prompt("the words of prompt_2", "the words of answer_2");
      await resume();
      await prompt("the words of prompt_3", [shows("d.txt")], "the words of answer_3");
    },
  })),
  {
    name: "arguments that are no object",
    async play(stage) {
      for (const [name, args] of Object.entries(oddArguments))
        await stage.prompt(`the words of ${name.replaceAll(" ", "_")}`, each(args), "well");
      await goOn(stage);
    },
  },
  {
    name: "arguments that are nested very deeply",
    notices: ["nested deeper than 500 levels"],
    async play(stage) {
      const calls = { shows: "a.txt", beside: { deep: nested() } } as const;
      await stage.prompt("the words of prompt_1", [{ calls }], "well");
      await goOn(stage);
    },
  },
  {
    name: "an output of 12,000 characters that the model has not answered",
    async play({ prompt }) {
      await prompt("the words of prompt_1", [{ calls: { prints: 600 } }], "the words of answer_1");
    },
  },
  {
    name: "results whose content is a text or null",
    needs: "odd results",
    async play(stage) {
      await stage.prompt(
        "the words of prompt_1",
        [{ calls: { gives: "plain text" } }],
        [{ calls: { gives: "null" } }, shows("a.txt")],
        "the words of answer_1",
      );
      await goOn(stage);
    },
  },
  {
    name: "an answer of signed thinking and an empty text",
    async play(stage) {
      await stage.prompt("the words of prompt_1", [shows("a.txt")], {
        thinking: "a thought",
        text: " \n",
      });
      await goOn(stage);
    },
  },
  {
    name: "a list that the host compacts by a message of the user",
    needs: "compact",
    async play(stage) {
      for (const file of ["a.txt", "b.txt"] as const)
        await stage.prompt(
          `the words of a_prompt_for_${file.charAt(0)}`,
          [shows(file)],
          "the words of an_answer",
        );
      await stage.compact?.("the words of a_summary");
      await goOn(stage);
    },
  },
];

/** Calls and answers as they should be, before and after a resume. */
async function goOn({ prompt, resume }: Parameters<OddScenario["play"]>[0]): Promise<void> {
  const answers: readonly OddAnswer[] = [[shows("c.txt")], "the words of a_later_answer"];
  await prompt("the words of a_later_prompt", ...answers);
  await resume();
  await prompt("the words of the_last_prompt", [shows("d.txt")], "done");
}
