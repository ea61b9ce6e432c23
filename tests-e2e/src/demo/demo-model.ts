import type {
  AnthropicRequest,
  Reply,
  ScriptedToolCall,
} from "@self-context-manager/evaluate/loopback";

import { demoCountries, taxFile } from "./demo-project.ts";

type Arguments = Readonly<Record<string, unknown>>;

type Calls = readonly (readonly [tool: string, args: Arguments])[];

/** One answer of the scripted model: tool calls, or a text that ends its turn. */
type Answer = Calls | string;

/** The model's next move. A plain host skips the moves that manage objects, because everything stays in view there. */
interface Move {
  readonly name: string;
  readonly isManagedOnly: boolean;
  /** Returns the answer. It takes handles from the request, and throws if the request does not show them. */
  readonly answer: (request: AnthropicRequest) => Answer;
}

const tests = "node --test --test-reporter=spec 2>&1";

/** A fixed sequence of work on the demo's project, as a model could do it. `shell` stands for the host's shell tool. */
const moves: readonly Move[] = [
  works("look", [["shell", { command: "ls -R . && git --version" }]]),
  works("failed", [["shell", { command: tests }]]),
  works("code", [
    ["read", { path: "test/cart.test.mjs" }],
    ["read", { path: "src/cart.mjs" }],
  ]),
  works("codes", [["read", { path: "src/discounts.mjs" }]]),
  manages("pin", (request) => [["pin", { id: fileHandle(request, "src/cart.mjs") }]]),
  manages("drop codes", (request) => [
    ["deactivate", { id: fileHandle(request, "src/discounts.mjs") }],
  ]),
  works("fix", [
    replaces("src/cart.mjs", "all + item.price, 0", "all + item.price * item.count, 0"),
  ]),
  works("passed", [["shell", { command: tests }]]),
  works("notes", [notes("The total ignored the count of an item; fixed in src/cart.mjs.")]),
  manages("drop runs", (request) => [
    ["deactivate", { id: runHandle(request, "failed") }],
    ["deactivate", { id: runHandle(request, "passed") }],
    ["deactivate", { id: fileHandle(request, "test/cart.test.mjs") }],
  ]),
  says("The total left out the count of each item. src/cart.mjs multiplies by it, all tests pass."),
  ...demoCountries.map((country) => works(country, [["read", { path: taxFile(country) }]])),
  works("search", [["shell", { command: "grep -rn 'Math\\.' src/taxes" }]]),
  ...["cz", "hu"].map((country) =>
    works(`fix ${country}`, [replaces(taxFile(country), "Math.floor(", "Math.round(")]),
  ),
  works("again", [["shell", { command: tests }]]),
  works("see", [["read", { path: taxFile("cz") }]]),
  works("notes again", [notes("Taxes of CZ and HU rounded down; they round like the rest now.")]),
  says("CZ and HU rounded down; they round to the nearest cent now, like all others."),
  manages("bring back", (request) => [
    ["activate", { id: runHandle(request, "failed") }],
    ["activate", { id: "src/discounts.mjs" }],
  ]),
  manages("unpin", (request) => [["unpin", { id: fileHandle(request, "src/cart.mjs") }]]),
  {
    name: "answer",
    isManagedOnly: false,
    answer: (request) =>
      `It said: ${failureIn(request)}. Codes are SPRING-5 to SPRING-60, and the same for SUMMER, AUTUMN and WINTER.`,
  },
];

/** The model of one session. It answers requests in the order of their arrival. */
export interface DemoModel {
  readonly calls: number;
  /** Returns the next move's name, by which the same calls of two sessions are found, and its answer to the request. */
  next(request: AnthropicRequest): { readonly move: string; readonly reply: Reply };
}

export interface DemoModelOptions {
  readonly isManaged: boolean;
  /** The name of the host's tool that runs a shell command. */
  readonly shell: string;
}

export function demoModel({ isManaged, shell }: DemoModelOptions): DemoModel {
  const planned = moves.filter(({ isManagedOnly }) => isManaged || !isManagedOnly);
  let made = 0;
  return {
    calls: planned.length,
    next(request) {
      const move = planned[made];
      if (move === undefined) {
        throw new RangeError(
          `the demo has ${planned.length} calls, and this request is one too many`,
        );
      }
      const answer = move.answer(request);
      // A request that could not be answered is not counted, because a host can send it again.
      made += 1;
      return { move: move.name, reply: replyOf(move, answer, shell) };
    },
  };
}

function replyOf(move: Move, answer: Answer, shell: string): Reply {
  if (typeof answer === "string") return { type: "text", text: answer };
  return {
    type: "tool-calls",
    calls: answer.map(([tool, args], call): ScriptedToolCall => ({
      id: callId(move.name, call),
      name: tool === "shell" ? shell : tool,
      arguments: args,
    })),
  };
}

function works(name: string, calls: Calls): Move {
  return { name, isManagedOnly: false, answer: () => calls };
}

function manages(name: string, answer: Move["answer"]): Move {
  return { name, isManagedOnly: true, answer };
}

function says(text: string): Move {
  return { name: `says ${text}`, isManagedOnly: false, answer: () => text };
}

function replaces(path: string, oldText: string, newText: string): Calls[number] {
  return ["edit", { path, edits: [{ oldText, newText }] }];
}

function notes(finding: string): Calls[number] {
  return ["write", { path: "notes.md", content: `# Notes\n\n- ${finding}\n` }];
}

/** Returns an id of letters and digits only, because OpenClaw removes all other characters. */
function callId(move: string, call: number): string {
  return `call${move.replaceAll(" ", "")}${call}`;
}

/** Returns the handle that precedes a file's name where it was last shown. */
function fileHandle(request: AnthropicRequest, path: string): string {
  const header = new RegExp(`(f\\d+) ${path.replaceAll(".", "\\.")} v\\d`, "u");
  const handle = textsOf(request)
    .flatMap((text) => header.exec(text)?.[1] ?? [])
    .at(-1);
  if (handle === undefined) throw new Error(`the request shows no handle for ${path}`);
  return handle;
}

/** Returns the first handle in a command's result. */
function runHandle({ messages }: AnthropicRequest, move: string): string {
  const id = callId(move, 0);
  const block = messages.flatMap(({ blocks }) => blocks).find((one) => one["tool_use_id"] === id);
  const handle = /t\d+/u.exec(JSON.stringify(block?.["content"] ?? ""))?.[0];
  if (handle === undefined) throw new Error(`the request shows no handle for ${id}`);
  return handle;
}

function failureIn(request: AnthropicRequest): string {
  const line = textsOf(request).find((text) =>
    text.includes("Expected values to be strictly equal"),
  );
  if (line === undefined) throw new Error("the request does not show the first failure");
  return lineWith(line, "Expected values").trim().slice(0, 60);
}

function textsOf({ messages }: AnthropicRequest): readonly string[] {
  return messages.map(({ text }) => text);
}

function lineWith(text: string, part: string): string {
  return text.split("\n").find((line) => line.includes(part)) ?? "";
}
