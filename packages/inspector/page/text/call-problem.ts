import { count } from "./format.ts";

/** What is wrong with a text as the number of a call from `first` to `last`, as a sentence; undefined if nothing is. */
export function callProblem(text: string, first: number, last: number): string | undefined {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isInteger(number) && number >= first && number <= last) return undefined;
  const range =
    first === last ? `only call ${count(first)}` : `the calls ${count(first)} to ${count(last)}`;
  return `This session has ${range}.`;
}
