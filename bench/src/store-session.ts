import type { JsonValue } from "@self-context-manager/core";
import {
  objectId,
  type ObjectBody,
  type ObjectWrite,
  type Reference,
  sealObject,
} from "@self-context-manager/objects";

/** The writes of one call of an agent: each list is a commit. */
export type Call = readonly (readonly ObjectWrite[])[];

/**
 * The writes of a session as an agent makes them: each call adds a step to the chat, a tool call with its result, and
 * an entry to the session's pool. The objects are sealed here, and versions share parts as they do in a program.
 */
export function* sessionWrites(calls: number, callsPerTurn = 10): Generator<Call> {
  const turns: JsonValue[] = [];
  const references: JsonValue[] = [];
  const pool: JsonValue[] = [];
  let steps: readonly JsonValue[] = [];
  let content = "";
  for (let call = 0; call < calls; call += 1) {
    const id = `toolcall-${String(call).padStart(8, "0")}`;
    if (call % callsPerTurn === 0) {
      steps = [];
      turns.push(null);
      content += `--- user\n${words(call, 40)}\n`;
    }
    const said = words(call + 1, 60);
    steps = [
      ...steps,
      { assistant: said, toolcall_ids: [id], assistant_meta: { stop: "toolUse", tokens: call } },
    ];
    turns[turns.length - 1] = {
      user: words(call - (call % callsPerTurn), 40),
      timestamp: call,
      steps,
    };
    content += `--- assistant\n${said}\n--- toolcall [ref:toolcall/${id}] tool=bash status=ok\n`;
    const chat = object("chat", {
      type: "chat",
      content,
      turns: [...turns],
      toolcall_refs: [...references],
      turn_count: turns.length,
    });
    const result = words(call + 2, 100 + ((call * 7919) % 900));
    const toolcall = object(id, {
      type: "toolcall",
      tool: "bash",
      args: { command: words(call, 8) },
      args_display: `bash: "${words(call, 8)}"`,
      status: "ok",
      content: result,
      char_count: result.length,
      chat_ref: dynamic("chat"),
    });
    references.push(dynamic(id));
    pool.push(dynamic(id));
    const session = object("session", {
      type: "session",
      content: null,
      pool: [...pool],
      active_set: pool.slice(-5),
      last: call,
    });
    yield [[chat], [toolcall, session]];
  }
}

/** The bytes of the content that a call added: the last step of the chat and the tool call's result. */
export function saidIn(writes: Call): number {
  let bytes = 0;
  for (const { object } of writes.flat()) {
    if (object.body.type === "toolcall")
      bytes += JSON.stringify([object.body["args"], object.body.content]).length;
    if (object.body.type !== "chat") continue;
    const turns = object.body["turns"] as readonly {
      readonly user: string;
      readonly steps: readonly unknown[];
    }[];
    const turn = turns.at(-1);
    bytes += JSON.stringify([turn?.steps.length === 1 ? turn.user : "", turn?.steps.at(-1)]).length;
  }
  return bytes;
}

function object(id: string, fields: Partial<ObjectBody>): ObjectWrite {
  const body = {
    content: null,
    locked: false,
    provenance: { origin: "bench", generator: "system" as const },
    type: "note",
    ...fields,
    id: objectId(id),
  };
  return { object: sealObject(body) };
}

function dynamic(id: string): Reference {
  return Object.freeze({ ref: "dynamic", id: objectId(id) });
}

const vocabulary =
  "the file was read and then changed so that each test of this package passes once more with no warning".split(
    " ",
  );

function words(seed: number, count: number): string {
  let state = seed + 1;
  return Array.from({ length: count }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return vocabulary[state % vocabulary.length];
  }).join(" ");
}
