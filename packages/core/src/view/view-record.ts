import type { JsonObject } from "@self-context-manager/objects";
import type { ViewEntry } from "./view-entry.ts";

/** The description of the view of one model call, as data. Tokens are estimated, before any calibration. */
export type ViewRecord = {
  readonly layout: string;
  /** The order of the messages and what each was made from. */
  readonly entries: readonly ViewEntry[];
  /** Size of the chat that the entries represent: number of turns, and of steps in the last turn. */
  readonly turns: number;
  readonly steps: number;
  /** The agent's working folder. Paths are shown relative to it. */
  readonly workspace: string;
  /** The layout's own data: everything else that it needs to continue from here or to rebuild the messages. */
  readonly memory: JsonObject;
};
