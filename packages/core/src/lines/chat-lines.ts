import { chatHandle } from "./handles.ts";
import { line, type LineKind, number, type Slot } from "./line-kind.ts";

/** A chat: the own one by its name, an archived one by its handle, and that of another session by its id. */
const chat: Slot<string> = { name: "CHAT", pattern: `(?:${chatHandle}|[\\w-]+)`, write: String };

/** The name of a field of a summary. */
const field: Slot<string> = { name: "FIELD", pattern: "\\w+", write: String };

/** The header of a turn that was opened, in the output of the call that asked for it. */
export const chatTurnHeader: LineKind<
  [turn: number, turns: number, chat: string, from: number, to: number, count: number]
> =
  line`Turn ${number} of ${number} of ${chat}, lines ${number}-${number} of ${number}; from and to show other lines:`;

/** The header of the turns of a chat: a line for each turn follows. */
export const chatTurnsHeader: LineKind<[chat: string, turns: number, shown: number]> =
  line`Chat ${chat} has ${number} turns; turn shows one, from and to show lines. The last ${number}, each in a line:`;

/** The header of lines of an archived chat, or of an earlier session's. */
export const chatLinesHeader: LineKind<[chat: string, from: number, to: number, count: number]> =
  line`Chat ${chat}, lines ${number}-${number} of ${number}; from and to show other lines:`;

/** The end of lines of a chat that one call cannot show all. */
export const chatCut: LineKind<[next: number]> = line`[cut here; from ${number} shows more]`;

/** The end of a line of a chat that is longer than one call shows. */
export const chatLineCut: LineKind<[line: number]> = line`[line ${number} is longer, and cut here]`;

/** The header of a text that a model wrote about a turn; the text is in a fence below. */
export const turnSummaryHeader: LineKind<[field: string, turn: number, chat: string]> =
  line`The ${field} of turn ${number} of ${chat}, written by a model:`;
