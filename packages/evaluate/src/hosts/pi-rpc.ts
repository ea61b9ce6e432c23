import { isJsonObject, type JsonObject } from "@self-context-manager/objects";

import { type HostProcess, type HostProcessOptions, openHostProcess } from "./host-process.ts";
import { onJsonLines } from "./json-lines.ts";
import { emptyTurn, type PiTurn, turnAfter } from "./pi-events.ts";

/** A command of the protocol, without its id. */
interface PiCommand {
  readonly type: string;
  readonly message?: string;
}

/** A Pi process in RPC mode. */
export interface PiRpc extends AsyncDisposable {
  /** The turn since the last prompt. */
  turn(): PiTurn;
  /** Sends one command. Resolves with the data of its response. Rejects if Pi refuses it or has ended. */
  send(command: PiCommand): Promise<JsonObject>;
  /** Sends a prompt and resolves when Pi is at rest. */
  prompt(message: string): Promise<void>;
  /** Resolves when no run, no retry and no compaction is in progress. */
  rest(): Promise<void>;
  /** Resolves with the reason when the process has ended. */
  readonly ended: HostProcess["ended"];
  readonly complaints: () => Promise<string>;
  readonly kill: () => void;
}

/** Starts Pi with `--mode rpc`. `settles`: this release sends `agent_settled` when it is at rest. */
export function openPiRpc(options: HostProcessOptions & { readonly settles: boolean }): PiRpc {
  const { settles } = options;
  const host = openHostProcess(options);
  const responses = new Map<string, (response: JsonObject | string) => void>();
  const waiting = new Set<() => void>();
  let turn = emptyTurn;
  let sent = 0;
  let reported = 0;
  let end: string | undefined;

  const wake = (): void => {
    for (const look of waiting) look();
  };
  const write = (line: JsonObject): void => {
    host.input.write(`${JSON.stringify(line)}\n`);
  };
  onJsonLines(host.output, (line) => {
    const { type, id } = line;
    if (type === "response" && typeof id === "string") {
      responses.get(id)?.(line);
      responses.delete(id);
      return;
    }
    turn = turnAfter(turn, line);
    if (isQuestion(line)) write({ type: "extension_ui_response", id: id ?? null, cancelled: true });
    wake();
  });
  const close = async (): Promise<void> => {
    const reason = await host.ended;
    end = reason;
    for (const answer of responses.values()) answer(reason);
    responses.clear();
    wake();
  };
  void close();

  const send: PiRpc["send"] = async (command) => {
    if (end !== undefined) throw new Error(`Pi has ended: ${end}`);
    sent += 1;
    const id = `command-${sent}`;
    const response = await new Promise<JsonObject | string>((resolve) => {
      responses.set(id, resolve);
      write({ ...command, id });
    });
    if (typeof response === "string")
      throw new Error(`Pi ended during ${command.type}: ${response}`);
    const { success, data, error } = response;
    if (success !== true)
      throw new Error(`Pi refused ${command.type}: ${typeof error === "string" ? error : ""}`);
    return data !== undefined && isJsonObject(data) ? data : {};
  };

  /** Resolves when the turn has more of such events than `changes`. */
  const changeAfter = async (changes: number): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (turn.changes > changes) resolve();
      else if (end !== undefined) reject(new Error(`Pi ended during the turn: ${end}`));
    };
    waiting.add(look);
    look();
    await promise.finally(() => waiting.delete(look));
  };

  const rest: PiRpc["rest"] = async () => {
    for (;;) {
      const { changes } = turn;
      const state = await send({ type: "get_state" });
      const isBusy = state["isStreaming"] === true || state["isCompacting"] === true;
      if (!isBusy && !(settles ? turn.isRunning : turn.isAboutToRetry)) return;
      await changeAfter(changes);
    }
  };

  return {
    turn: () => turn,
    send,
    rest,
    prompt: async (message) => {
      // Notices from before, such as those of the start, belong to the first turn after them.
      turn = { ...emptyTurn, changes: turn.changes, notices: turn.notices.slice(reported) };
      try {
        await send({ type: "prompt", message });
        await rest();
      } finally {
        reported = turn.notices.length;
      }
    },
    ended: host.ended,
    complaints: host.complaints,
    kill: host.kill,
    [Symbol.asyncDispose]: async () => await host[Symbol.asyncDispose](),
  };
}

/** Whether an extension waits for an answer of the user. There is no user, so the question is cancelled. */
function isQuestion({ type, method }: JsonObject): boolean {
  return type === "extension_ui_request" && typeof method === "string" && questions.has(method);
}

const questions: ReadonlySet<string> = new Set(["select", "confirm", "input", "editor"]);
