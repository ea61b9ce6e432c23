import type { SentRequest } from "./sent-request.ts";
import type { Side, Sides } from "./scenario.ts";

/** Returns the last request that got an answer. */
export function lastRequest({ steps }: Side): SentRequest {
  const last = steps.at(-1);
  if (last === undefined) throw new Error("no request got an answer");
  return last.request;
}

/** Returns the request of a step, counted from 1. */
export function requestAt({ steps }: Side, step: number): SentRequest {
  const found = steps[step - 1];
  if (found === undefined) throw new Error(`there is no request ${step} of ${steps.length}`);
  return found.request;
}

/** Whether a request has the result of a tool call. */
export function hasResult({ messages }: SentRequest, call: number): boolean {
  return messages.some(({ results }) => results.has(`call_${call}`));
}

/** Returns the result of a tool call as a request has it. */
export function resultIn({ messages }: SentRequest, call: number): string {
  const id = `call_${call}`;
  const found = messages.flatMap(({ results }) => results.get(id) ?? []);
  const [result] = found;
  if (result === undefined) throw new Error(`the request has no result of ${id}`);
  return result;
}

/** Returns how often a text occurs in the messages of a request. */
export function countIn({ text }: SentRequest, part: string): number {
  return text.split(part).length - 1;
}

/** Returns the lines that the managed side sent in a step, and plain Pi did not send in the same step. */
export function ownLines({ plain, managed }: Sides, step: number): readonly string[] {
  const others = new Set(requestAt(plain, step).text.split("\n"));
  return requestAt(managed, step)
    .text.split("\n")
    .filter((line) => !others.has(line));
}

/** Returns the own lines of a step that an earlier step does not have. */
export function newOwnLines(sides: Sides, from: number, to: number): readonly string[] {
  const before = ownLines(sides, from);
  return ownLines(sides, to).filter((line) => !before.includes(line));
}
