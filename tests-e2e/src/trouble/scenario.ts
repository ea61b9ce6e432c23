import type { PiVersion } from "../pi-versions.ts";
import type { Answer } from "./answers.ts";
import type { DamagedPart } from "./data-folder.ts";
import type { Api } from "./provider.ts";
import type { ProviderWindow } from "./refusals.ts";
import type { SentRequest } from "./sent-request.ts";

/** A situation that is played once in plain Pi and once with the extension on its defaults. */
export interface Scenario {
  /** A noun phrase: the situation. */
  readonly name: string;
  /**
   * Whether another scenario has the same situation and the same checks in another form. It is played in a long run, and in
   * `npm test` if the adapter has changed.
   */
  readonly isOtherForm?: boolean;
  /** The initial files, by path in the working folder. A function, so that large ones exist only while they are needed. */
  readonly files?: () => Readonly<Record<string, string | Uint8Array>>;
  /** Other extensions: paths of files, or a function of the release for those that Pi ships. */
  readonly extensions?: {
    readonly before?: readonly ExtensionPath[];
    readonly after?: readonly ExtensionPath[];
  };
  /** The releases of Pi on which it is played in each run. Default: one of those of the run. */
  readonly releases?: readonly PiVersion[];
  /** The context window that the host knows. Default: 200,000 tokens. */
  readonly contextWindow?: number;
  /** The window of the server, by API, if it refuses prompts. */
  readonly window?: Readonly<Record<Api, ProviderWindow>>;
  /** Environment variables of the extension, where the situation is a setting. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Plays the situation: prompts, answers, and what happens between. */
  readonly play: (stage: Stage) => Promise<void>;
  /** The reason why the sizes of the requests are not compared. */
  readonly incomparable?: string;
  /** Whether the store's contents are read at the end. */
  readonly readsStore?: boolean;
  /** The expectations of this situation, by a sentence each. */
  readonly checks: Readonly<Record<string, (sides: Sides) => void>>;
}

export type ExtensionPath = string | ((pi: PiVersion) => string);

/** The means to play a scenario on one side. */
export interface Stage {
  readonly isManaged: boolean;
  readonly workFolder: string;
  /** Sends a prompt. The answers are those of the model to the requests of the prompt, in order. */
  readonly prompt: (text: string, ...answers: readonly Answer[]) => Promise<void>;
  /** Runs a command of the extension. Plain Pi has no such command, so nothing happens there. */
  readonly command: (text: string) => Promise<void>;
  /** Runs a command of another extension. */
  readonly otherCommand: (text: string) => Promise<void>;
  /** Compacts as the user's `/compact` does. */
  readonly compact: () => Promise<void>;
  /** Ends the session's process and opens the session file in a new one. */
  readonly resume: () => Promise<void>;
  /** Continues in a copy of the session with its own id, as `/fork` does. */
  readonly fork: () => Promise<void>;
  /** Lets the extension use another data folder from the next `resume` on, as on another machine. */
  readonly moveHouse: () => Promise<void>;
  /** Removes the extension's data folder. */
  readonly loseStore: () => Promise<void>;
  /** Changes what the store's file has, as a faulty disk does. */
  readonly damageStore: (part: DamagedPart) => Promise<void>;
  /** Locks the store by another process. The lock ends with the disposal of the result. */
  readonly lockStore: () => Promise<AsyncDisposable>;
  /** Allows the following requests of the managed side so many tokens more than the plain side has. */
  readonly allow: (tokens: number) => void;
  /** Waits until a watcher has reported a change, or an absence, of a file. Plain Pi has no watcher and does not wait. */
  readonly noticed: (kind?: "change" | "absence") => Promise<void>;
}

/** A request that got an answer, with the additional tokens that the rules allow it. */
export interface Step {
  readonly request: SentRequest;
  readonly allowed: number;
}

/** What one side sent and reported. */
export interface Side {
  readonly steps: readonly Step[];
  /** All requests, also refused ones and those for summaries. */
  readonly requests: readonly SentRequest[];
  /** The cost of all requests, in tokens of uncached input, by the prices of the API's provider. */
  readonly units: number;
  /** The requests that the provider refused as too long. */
  readonly refused: readonly SentRequest[];
  /** Errors of the script, of the wire and of extensions, and runs that ended otherwise than scripted. */
  readonly problems: readonly string[];
  /** The texts with which an extension notified the user. */
  readonly notices: readonly string[];
  /** The content of the extension's data folder, if the scenario reads it. */
  readonly stored: string;
  readonly milliseconds: number;
}

export interface Sides {
  readonly plain: Side;
  readonly managed: Side;
}
