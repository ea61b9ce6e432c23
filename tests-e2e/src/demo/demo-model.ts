import type { Reply, ScriptedToolCall } from "../loopback-reply.ts";
import type { WireRequest } from "../wire-request.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** One answer of the scripted model; a handle comes from what the request shows, or the run ends with a complaint. */
type Move = (
  request: WireRequest,
) => readonly (readonly [tool: string, args: Arguments])[] | string;

/**
 * The model of the demo: a fixed line of work on the demo's project. It knows no ids; where it needs a handle it reads
 * the request, as a model would.
 */
const moves: readonly Move[] = [
  () => [["bash", { command: "ls -R . && git --version" }]],
  () => [["bash", { command: "node --test 2>&1" }]],
  () => [
    ["read", { path: "test/cart.test.mjs" }],
    ["read", { path: "src/cart.mjs" }],
  ],
  () => [["bash", { command: "grep -rn 'discounts' src" }]],
  () => [["read", { path: "src/discounts.mjs" }]],
  (request) => [["pin", { id: handleOf(request, "src/cart.mjs") }]],
  (request) => [["deactivate", { id: handleOf(request, "src/discounts.mjs") }]],
  () => [
    [
      "edit",
      {
        path: "src/cart.mjs",
        edits: [{ oldText: "all + item.price, 0", newText: "all + item.price * item.count, 0" }],
      },
    ],
  ],
  () => [["bash", { command: "node --test 2>&1" }]],
  () => [
    [
      "write",
      {
        path: "notes.md",
        content: "# Notes\n\n- The total ignored the count of an item; fixed in src/cart.mjs.\n",
      },
    ],
  ],
  (request) => [["deactivate", { id: handleOf(request, "test/cart.test.mjs") }]],
  () =>
    "The total left out the count of each item. src/cart.mjs multiplies by it now, and all tests pass.",
  (request) => [
    ["activate", { id: failedRunOf(request) }],
    ["activate", { id: "src/discounts.mjs" }],
  ],
  (request) => [["unpin", { id: handleOf(request, "src/cart.mjs") }]],
  (request) =>
    `It said: ${failureIn(request)}. Codes are SPRING-5 to SPRING-60, and the same for SUMMER, AUTUMN and WINTER.`,
];

/** How many model calls the demo makes. */
export const demoCalls: number = moves.length;

/** Answers a request by its place in the session. */
export function demoReply(request: WireRequest, index: number): Reply {
  const move = moves[index];
  if (move === undefined)
    throw new RangeError(`the demo has ${moves.length} calls, this is one more`);
  const answer = move(request);
  if (typeof answer === "string") return { type: "text", text: answer };
  return {
    type: "tool-calls",
    calls: answer.map(([name, args], call): ScriptedToolCall => ({
      id: `call_${String(index + 1).padStart(2, "0")}_${call}`,
      name,
      arguments: args,
    })),
  };
}

function handleOf(request: WireRequest, path: string): string {
  const line = linesOf(request).find((text) => /^f\d+ /u.test(text) && text.includes(` ${path} `));
  return handleIn(line, path);
}

/** The first run of the tests, by its line among the known objects. */
function failedRunOf(request: WireRequest): string {
  return handleIn(
    linesOf(request).find((text) => /^t\d+ bash "node --test/u.test(text)),
    "the first test run",
  );
}

function failureIn(request: WireRequest): string {
  const line = linesOf(request).find((text) =>
    text.includes("Expected values to be strictly equal"),
  );
  if (line === undefined) throw new Error("the request does not show the first failure");
  return line.trim().slice(0, 60);
}

function linesOf(request: WireRequest): readonly string[] {
  return request.messages.flatMap(({ text }) => text.split("\n"));
}

function handleIn(line: string | undefined, wanted: string): string {
  const handle = line?.split(" ")[0];
  if (handle === undefined) throw new Error(`the request shows no handle for ${wanted}`);
  return handle;
}
