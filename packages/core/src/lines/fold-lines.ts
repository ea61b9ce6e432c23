import { line, type LineKind, number } from "./line-kind.ts";
import { target } from "./handles.ts";

/** The first line of a fold of several calls. What the folded steps did is in a fence below it (decision D71). */
export const foldHeader: LineKind<[calls: number, turn: number, chat: string, again: number]> =
  line`[${number} calls of turn ${number} are folded; activate ${target} with turn ${number} shows them]`;

/** The first line of a fold of one call. */
export const foldHeaderOfOne: LineKind<[turn: number, chat: string, again: number]> =
  line`[1 call of turn ${number} is folded; activate ${target} with turn ${number} shows it]`;
