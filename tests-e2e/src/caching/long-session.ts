import type { Reply, ScriptedToolCall } from "@self-context-manager/evaluate/loopback";

/** The user's prompts in the long session, in order. */
export const longPrompts: readonly string[] = [
  "Find out how orders are priced, module by module, and write down what you find.",
  "Now give every module a currency, and keep the notes up to date.",
  "Check once more that all modules agree, and tell me what is left to do.",
];

/** The number of modules in the project. */
const moduleCount = 20;

/** A project of twenty modules of about 4 kB each. */
export const longProject: Readonly<Record<string, string>> = {
  "README.md": "# Orders\n\nPrices of orders, in twenty modules.\n",
  ...Object.fromEntries(
    Array.from({ length: moduleCount }, (_, index) => [modulePath(index), moduleText(index)]),
  ),
};

/**
 * The answers of a model that reads each module, searches, edits, tests, and reads its changes again. Each prompt has
 * a list of answers, and the last one is a text. The answers name no object, so they work in plain Pi as well.
 */
export const longAnswers: readonly (readonly Reply[])[] = [
  [
    calls("a", [["bash", { command: "ls -R ." }]]),
    ...modules((index) => [
      calls(`r${index}`, [["read", { path: modulePath(index) }]]),
      ...(index % 4 === 3 ? [search(index)] : []),
    ]),
    notes("a", "Each module multiplies a price by a rate of its own."),
    text("The modules price by rates of their own; notes.md says how."),
  ],
  [
    ...modules((index) => [
      edit(index),
      ...(index % 2 === 1 ? [check(index)] : []),
      ...(index % 3 === 2 ? [calls(`v${index}`, [["read", { path: modulePath(index) }]])] : []),
    ]),
    notes("b", "Each module names its currency now."),
    text("Every module has a currency."),
  ],
  [
    search(99),
    ...modules((index) => [
      calls(`c${index}`, [["read", { path: modulePath(index) }]]),
      ...(index % 2 === 0 ? [check(index + moduleCount)] : []),
    ]),
    calls("n", [["read", { path: "notes.md" }]]),
    text("All modules agree. The rates should be in one table."),
  ],
];

/** The same answers in one list, in the order of the requests. */
export const longReplies: readonly Reply[] = longAnswers.flat();

/** A session as a user gives it to a host and a model plays it. */
export interface LongSession {
  readonly prompts: readonly string[];
  /** The answers to all prompts, in the order of the requests. */
  readonly replies: readonly Reply[];
}

/** Returns the long session, `rounds` times one after the other. Each call has an id of its own. */
export function longRounds(rounds: number): LongSession {
  const each = Array.from({ length: rounds }, (_, round) => round);
  return {
    prompts: each.flatMap(() => longPrompts),
    replies: each.flatMap((round) => longReplies.map((reply) => ofRound(reply, round))),
  };
}

function ofRound(reply: Reply, round: number): Reply {
  if (reply.type !== "tool-calls" || round === 0) return reply;
  return { ...reply, calls: reply.calls.map((one) => ({ ...one, id: `${one.id}_${round}` })) };
}

function modules(make: (index: number) => readonly Reply[]): readonly Reply[] {
  return Array.from({ length: moduleCount }, (_, index) => make(index)).flat();
}

function text(said: string): Reply {
  return { type: "text", text: said };
}

type Call = readonly [tool: string, args: ScriptedToolCall["arguments"]];

function calls(id: string, made: readonly Call[]): Reply {
  return {
    type: "tool-calls",
    text: "I look at the next part.",
    calls: made.map(([name, args], index) => ({
      id: `call_${id}_${index}`,
      name,
      arguments: args,
    })),
  };
}

function search(index: number): Reply {
  const command = `grep -rn 'rate' modules | head -${index === 99 ? 60 : 40}`;
  return calls(`s${index}`, [["bash", { command }]]);
}

/** Returns a run of a test whose long output contains little information. */
function check(index: number): Reply {
  const command = `for i in $(seq 1 60); do echo "ok $i - module ${index} prices case $i as it should"; done`;
  return calls(`t${index}`, [["bash", { command }]]);
}

function edit(index: number): Reply {
  const path = modulePath(index);
  const edits = [
    {
      oldText: `export const rate${index} = 1.${index};`,
      newText: `export const rate${index} = 1.${index};\nexport const currency${index} = "EUR";`,
    },
  ];
  return calls(`e${index}`, [["edit", { path, edits }]]);
}

function notes(id: string, finding: string): Reply {
  const lines = Array.from({ length: 12 }, (_, index) => `- module ${index}: ${finding}`);
  const content = `# Notes\n\n${lines.join("\n")}\n`;
  return calls(`w${id}`, [["write", { path: "notes.md", content }]]);
}

function modulePath(index: number): string {
  return `modules/m${String(index).padStart(2, "0")}.mjs`;
}

function moduleText(index: number): string {
  const cases = Array.from(
    { length: 44 },
    (_, line) =>
      `  // case ${line}: an order of ${(line * 7 + index) % 90} items is priced with the rate of module ${index}`,
  );
  return `export const rate${index} = 1.${index};\n\nexport function price${index}(order) {\n${cases.join("\n")}\n  return order.sum * rate${index};\n}\n`;
}
