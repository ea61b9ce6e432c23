/** A call of the scripted model. */
export interface OddCall {
  /** Its id. Default: one that no other call has. */
  readonly id?: string;
  /**
   * What is called: the host's own tool that shows this file, with these arguments beside its own; each of the host's tools
   * with the same arguments; a command or tool that prints so many numbered lines; or a tool whose result has this content.
   */
  readonly calls:
    | { readonly shows: OddFile; readonly beside?: object }
    | { readonly args: unknown }
    | { readonly prints: number }
    | { readonly gives: OddContent };
}

/** Contents that tools give instead of a list of blocks. */
export type OddContent = "plain text" | "null";

/** The text of a result with the content `plain text`. */
export const plainText = "the words of a_plain_text";

/** Returns the command that prints numbered lines. */
export function printing(lines: number): string {
  return `seq -f 'the words of line_%g' ${lines}`;
}

/** An answer of the scripted model: a text, calls, or a text with signed thinking before it. */
export type OddAnswer =
  | string
  | readonly OddCall[]
  | { readonly thinking: string; readonly text: string };

/** The means of a host to play a scenario on one side. */
export interface OddStage {
  /** Sends a prompt. The answers are those of the model to the requests of the prompt, in order. */
  readonly prompt: (text: string, ...answers: readonly OddAnswer[]) => Promise<void>;
  /** Opens the session again as a new process does, in a host in which that is cheap. */
  readonly resume: () => Promise<void>;
  /**
   * Replaces the messages of the host's list before the last prompt by a message of the user with this text. Undefined if the
   * host's list is its own matter.
   */
  readonly compact?: (text: string) => Promise<void>;
}

/** A situation that no rule of a provider allows, played on a plain host and on a host with managed context. */
export interface OddScenario {
  /** A noun phrase: the situation. */
  readonly name: string;
  /** The name of a tool's result's content that not every host can have, or of an operation. Default: every host can play it. */
  readonly needs?: "compact" | "odd results";
  /** The texts for the user on the managed side. Default: none. */
  readonly notices?: readonly string[];
  readonly play: (stage: OddStage) => Promise<void>;
}

/** The files of the working folder. A scenario shows each once, because a managed context has no text twice. */
export const oddFiles = {
  "a.txt": "the words of file_a\n",
  "b.txt": "the words of file_b\n",
  "c.txt": "the words of file_c\n",
  "d.txt": "the words of file_d\n",
} as const;

export type OddFile = keyof typeof oddFiles;

/** A request as a provider got it, in a form that all hosts have. */
export interface OddRequest {
  /** The texts of the messages after the instruction, in order. */
  readonly texts: readonly string[];
  /** The number of results. */
  readonly results: number;
}

/** What one side sent and reported. */
export interface OddSide {
  readonly requests: readonly OddRequest[];
  /** Requests that a provider would refuse, and errors of the run. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

export interface OddSides {
  readonly plain: OddSide;
  readonly managed: OddSide;
}
