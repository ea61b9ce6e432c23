import type { Reply } from "@self-context-manager/evaluate/loopback";

import type { SentRequest } from "./sent-request.ts";

/** An answer of the scripted model. A function can look at the request, or change something before it answers. */
export type Answer = Reply | ((request: SentRequest) => Reply | Promise<Reply>);

/** The answers of the scripted model, in order. */
export interface Answers {
  /** Adds the answers to the requests of the next prompt. */
  add(answers: readonly Answer[]): void;
  /** Returns the answer to a request. Rejects if there is none left. */
  next(request: SentRequest): Promise<Reply>;
  /** Removes the answers that no request has asked for, and returns their number. */
  drop(): number;
  /** The accepted requests that got an answer, in order. Requests for summaries are not among them. */
  readonly answered: readonly SentRequest[];
}

export function answersInOrder(): Answers {
  const waiting: Answer[] = [];
  const answered: SentRequest[] = [];
  let calls = 0;

  /** Gives each tool call the id of its place, so that both sides of a comparison have the same ids. */
  function withIds(reply: Reply): Reply {
    if (reply.type !== "tool-calls") return reply;
    return {
      ...reply,
      calls: reply.calls.map(({ id, ...call }) => {
        calls += 1;
        return { ...call, id: id === ofPlace ? `call_${calls}` : id };
      }),
    };
  }

  return {
    answered,
    add: (answers) => void waiting.push(...answers),
    async next(request) {
      if (request.isSummary) return { type: "text", text: "A summary of the work so far." };
      const answer = waiting.shift();
      if (answer === undefined)
        throw new RangeError(`there is no answer for request ${request.index}`);
      answered.push(request);
      return withIds(typeof answer === "function" ? await answer(request) : answer);
    },
    drop: () => waiting.splice(0).length,
  };
}

/** A tool call, without its id. */
export type Called = readonly [name: string, args: Readonly<Record<string, unknown>>];

/** Returns an answer with parallel tool calls. Their ids are `call_1`, `call_2` and so on over the whole session. */
export function use(...calls: readonly Called[]): Extract<Reply, { readonly type: "tool-calls" }> {
  return {
    type: "tool-calls",
    calls: calls.map(([name, args]) => ({ id: ofPlace, name, arguments: args })),
  };
}

/** Stands for the id of a call's place, which is made when the answer is sent. */
export const ofPlace = "of its place";

/** Returns an answer that ends the turn. */
export function say(text: string): Reply {
  return { type: "text", text };
}
