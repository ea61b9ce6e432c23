import type { JsonObject } from "@self-context-manager/objects";
import type { ViewEntry } from "./view-entry.ts";

/** What the chat is called in views; it has no handle of its own. */
export const chatHandle = "chat";

/** What one model call saw, as data (design §7). Tokens are estimated, before any calibration. */
export type ViewRecord = {
  readonly layout: string;
  /** The order of the messages and what each was made from. */
  readonly entries: readonly ViewEntry[];
  /** How much of the chat the entries stand for: turns, and steps of the last turn. */
  readonly turns: number;
  readonly steps: number;
  /** The agent's working folder, which paths are shown relative to. */
  readonly workspace: string;
  /** What else the layout needs to go on from here, or to make the same messages again. */
  readonly memory: JsonObject;
};
