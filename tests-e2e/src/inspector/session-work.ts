import type {
  AnthropicRequest,
  Reply,
  ScriptedToolCall,
} from "@self-context-manager/evaluate/loopback";

import { countries, headLine, modulePath, pastedLog, roundsDown } from "./session-project.ts";

/** Something that happens before a user's prompt. */
export type Event =
  /** The user is away for a time, in milliseconds. */
  | { readonly type: "pause"; readonly ms: number }
  /** The user changes the model. */
  | { readonly type: "model"; readonly id: string }
  /** A line is added to the system prompt from now on. */
  | { readonly type: "instructions"; readonly text: string };

/** Returns an answer of the scripted model. It takes handles from the request. */
export type Answer = (request: AnthropicRequest) => Reply;

/** One prompt of the user, with the answers of the model until its turn ends. */
export interface Turn {
  readonly before?: Event;
  readonly prompt: string;
  readonly answers: readonly Answer[];
}

type Arguments = ScriptedToolCall["arguments"];

const minute = 60_000;

/** The ids of known models, because the lifetime of their cache entries is known by these. */
export const models = { first: "claude-sonnet-4-5", second: "claude-opus-4-5" } as const;

/** The work of the recorded session: some hours of a user and a model on the ledger project. */
export const work: readonly Turn[] = [
  {
    prompt: "Two countries fail their checks. Find out which and why, and fix them. Keep notes.",
    answers: [
      shell("ls", "ls -R . | head -80"),
      calls("open", "I read the check first.", [
        ["read", { path: "check.sh" }],
        ["read", { path: "src/round.mjs" }],
        ["read", { path: "docs/rounding.md" }],
      ]),
      ...countries.map((country) => check(`a${country}`, country)),
      ...roundsDown.flatMap((country) => [
        read(`a${country}`, modulePath(country)),
        edit(`a${country}`, modulePath(country), "Math.floor(", "Math.round("),
        check(`b${country}`, country),
      ]),
      note("rounding", "found", [
        "CZ and HU rounded down, all others to the nearest cent.",
        "The document [[rounding]] still says that all sums are rounded down.",
      ]),
      says("CZ and HU rounded down. They round to the nearest cent now, and all checks pass."),
    ],
  },
  {
    before: { type: "pause", ms: 2 * minute },
    prompt:
      "Give every country's module the currency of its country, and write each decision into notes/currency.md.",
    answers: [
      read("b", "docs/currencies.md"),
      pins("docs/currencies.md"),
      ...countries.flatMap((country, index) => [
        read(`c${country}`, modulePath(country)),
        edit(
          `c${country}`,
          modulePath(country),
          headLine(country),
          `${headLine(country)}\nexport const currency = "${currencyOf(country)}";`,
        ),
        ...(index % 2 === 1 ? [check(`c${country}`, country)] : []),
        ...(index % 7 === 6 ? [shell(`c${index}`, "grep -rn 'currency' src | head -60")] : []),
      ]),
      note("currency", "first", [
        "Each module names a currency; most have EUR.",
        "- depends_on [[currencies]]",
      ]),
      says("Every module has a currency. notes/currency.md lists those that differ from EUR."),
    ],
  },
  {
    before: { type: "pause", ms: 27 * minute },
    prompt: "I am back. Do the documents still say what the code does? Correct them where not.",
    answers: [
      calls("docs", "I compare the documents with the code.", [
        ["read", { path: "docs/taxes.md" }],
        ["read", { path: "docs/rounding.md" }],
        ["read", { path: "docs/invoices.md" }],
      ]),
      finds("find", { words: "rounded down" }),
      read("inv", "src/invoice.mjs"),
      edit(
        "doc1",
        "docs/rounding.md",
        "rounded down to whole cents",
        "rounded to the nearest cent",
      ),
      edit(
        "doc2",
        "docs/taxes.md",
        "All countries round down.",
        "All countries round to the cent.",
      ),
      edit("doc3", "docs/taxes.md", "All sums are in EUR.", "See [[currency]] for each country."),
      ...countries.map((country) => shows(`d${country}`, modulePath(country))),
      shell("links", "grep -rn '\\[\\[' docs notes"),
      note("documents", "docs", [
        "Corrected [[rounding#Cents]] and [[taxes#Rounding]].",
        "- see_also [[currency]]",
      ]),
      says("Three sentences were wrong. I corrected them, and notes/documents.md names them."),
    ],
  },
  {
    before: { type: "pause", ms: 3 * minute },
    prompt: `These invoices of this morning differ by a cent. Which modules are behind it?\n\n${pastedLog}`,
    answers: [
      shell("log", "grep -rn 'toCents' src"),
      ...["at", "de", "es", "fr", "gr", "it", "nl", "pl", "pt", "se"].flatMap((country) => [
        read(`e${country}`, modulePath(country)),
        check(`e${country}`, country),
      ]),
      fails("gone", "src/taxes/xx.mjs"),
      drops("src/taxes/de.mjs"),
      note("difference", "cent", [
        "The tax is rounded twice: in the module and in [[invoices]].",
        "- caused_by [[rounding]]",
      ]),
      edit(
        "inv",
        "src/invoice.mjs",
        "tax: toCents(tax(net)), gross: toCents(net + tax(net))",
        "tax: tax(net), gross: toCents(net + tax(net))",
      ),
      says("The tax was rounded twice, in the module and in the sum. It is rounded once now."),
    ],
  },
  {
    before: { type: "model", id: models.second },
    prompt: "Review the whole change as somebody would who has not seen it.",
    answers: [
      shell("review", "grep -c '' src/taxes/*.mjs docs/*.md notes/*.md"),
      ...countries.flatMap((country) => [
        read(`f${country}`, modulePath(country)),
        check(`f${country}`, country),
      ]),
      finds("again", { tag: "rules" }),
      shows("notes", "notes/currency.md"),
      note("review", "one", ["All modules agree.", "- part_of [[documents]]"]),
      says("I found no further difference. One table for all rates would be easier to check."),
    ],
  },
  {
    before: {
      type: "instructions",
      text: "Write each number of money with two decimals. Ask before a file is deleted.",
    },
    prompt: "Then make that one table: src/rates.mjs with a row for each country.",
    answers: [
      ...countries.flatMap((country, index) => [
        ...(index % 4 === 0 ? [shell(`g${country}`, `grep -n 'rate' ${modulePath(country)}`)] : []),
        edit(
          `g${country}`,
          modulePath(country),
          "/** Tax rates by group of goods. */",
          "/** Tax rates by group of goods; src/rates.mjs has the usual one. */",
        ),
      ]),
      writes("rates", "src/rates.mjs", ratesText()),
      read("rates", "src/rates.mjs"),
      ...countries.map((country) => check(`g${country}`, country)),
      note("currency", "second", [
        "The usual rate and the currency of each country are in `src/rates.mjs`.",
        "- depends_on [[currencies]]",
        "- supersedes [[review]]",
      ]),
      says("src/rates.mjs has a row for each of the 28 countries, and all checks pass."),
    ],
  },
  {
    before: { type: "pause", ms: 4 * minute },
    prompt: "What exactly did the first failing check say? And what is left to do?",
    answers: [
      activatesRun("checkacz0"),
      shows("last", "notes/difference.md"),
      says(
        "It said that CZ-9 rounds 0.005 to 0.00, expected 0.01. Nothing is left but the release.",
      ),
    ],
  },
];

/** The number of model calls of the session. */
export const workCalls: number = work.reduce((sum, { answers }) => sum + answers.length, 0);

function says(text: string): Answer {
  return () => ({ type: "text", text });
}

function calls(
  name: string,
  text: string,
  made: readonly (readonly [tool: string, args: Arguments])[],
): Answer {
  return () => reply(name, text, made);
}

function reply(
  name: string,
  text: string,
  made: readonly (readonly [tool: string, args: Arguments])[],
): Reply {
  return {
    type: "tool-calls",
    text,
    // Letters and digits only, because some hosts remove all other characters.
    calls: made.map(([tool, args], index) => ({
      id: `${name}${index}`,
      name: tool,
      arguments: args,
    })),
  };
}

function shell(name: string, command: string): Answer {
  return calls(`shell${name}`, "I look for it.", [["bash", { command }]]);
}

function read(name: string, path: string): Answer {
  return calls(`read${name}`, `I read ${path}.`, [["read", { path }]]);
}

function fails(name: string, path: string): Answer {
  return calls(`read${name}`, "Perhaps it has a module of its own.", [["read", { path }]]);
}

function check(name: string, country: string): Answer {
  const command = `sh check.sh ${modulePath(country)}`;
  return calls(`check${name}`, `I check ${country.toUpperCase()}.`, [["bash", { command }]]);
}

function edit(name: string, path: string, oldText: string, newText: string): Answer {
  const edits = [{ oldText, newText }];
  return calls(`edit${name}`, `I change ${path}.`, [["edit", { path, edits }]]);
}

function writes(name: string, path: string, content: string): Answer {
  return calls(`write${name}`, `I write ${path}.`, [["write", { path, content }]]);
}

function note(topic: string, name: string, lines: readonly string[]): Answer {
  const title = `${topic.slice(0, 1).toUpperCase()}${topic.slice(1)}`;
  const content = `---\ntags: [notes]\n---\n# ${title}: what I found\n\n${lines.join("\n")}\n`;
  return writes(`note${topic}${name}`, `notes/${topic}.md`, content);
}

function pins(path: string): Answer {
  return calls("pin", `${path} is needed all the time.`, [["pin", { id: path }]]);
}

function drops(path: string): Answer {
  return calls("drop", "That one is right.", [["deactivate", { id: path }]]);
}

function shows(name: string, path: string): Answer {
  return calls(`show${name}`, `I look at ${path} once more.`, [["activate", { id: path }]]);
}

function finds(name: string, args: Arguments): Answer {
  return calls(`find${name}`, "I search what is known.", [["find_objects", args]]);
}

function activatesRun(callId: string): Answer {
  return (request) =>
    reply("back", "I look at that output again.", [
      ["activate", { id: runHandle(request, callId) }],
    ]);
}

/** Returns the first handle in the result of a tool call. If its step is folded, the id of the call is a name of it. */
function runHandle({ messages, index }: AnthropicRequest, callId: string): string {
  const block = messages
    .flatMap(({ blocks }) => blocks)
    .find((one) => one["tool_use_id"] === callId);
  if (block === undefined) return callId;
  const handle = /t\d+/u.exec(JSON.stringify(block?.["content"] ?? ""))?.[0];
  if (handle === undefined) throw new Error(`request ${index} shows no handle for ${callId}`);
  return handle;
}

function currencyOf(country: string): string {
  const others: Readonly<Record<string, string>> = {
    bg: "BGN",
    cz: "CZK",
    dk: "DKK",
    hu: "HUF",
    pl: "PLN",
    ro: "RON",
    se: "SEK",
    uk: "GBP",
  };
  return others[country] ?? "EUR";
}

function ratesText(): string {
  const rows = countries.map(
    (country, index) =>
      `  { country: "${country.toUpperCase()}", usual: ${(0.17 + (index % 9) / 100).toFixed(2)}, currency: "${currencyOf(country)}" },`,
  );
  return `/** The usual tax and the currency of each country. */\nexport const usualRates = [\n${rows.join("\n")}\n];\n`;
}
