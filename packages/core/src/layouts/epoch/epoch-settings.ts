/** How an epoch layout shows, trims and ends; what is measured to be best unless told (design §7). */
export interface EpochSettings {
  /** An epoch ends once carrying dead bytes has cost this share of the rewrite. */
  readonly share: number;
  /** The same at the first call of a user's turn. */
  readonly shareAtTurn: number;
  /** Results of fewer tokens come as they are and stay. */
  readonly small: number;
  /** Arguments of writes and edits from so many tokens on leave like results; undefined where they stay (decision D5). */
  readonly largeArguments: number | undefined;
  /** Results of commands, searches and web pages of more tokens than `over` show their beginning and end. */
  readonly trim:
    | { readonly over: number; readonly head: number; readonly tail: number }
    | undefined;
  /** Whether a change of a file is shown as a difference where that is smaller. */
  readonly differences: boolean;
  /** When what is deactivated leaves the view: at the end of its epoch, or at once (decision D3). */
  readonly deactivate: "at-epoch-end" | "immediate";
  /** When a version leaves that a newer one replaced: at the end of its epoch, or at once (decision D4). */
  readonly superseded: "at-epoch-end" | "at-once";
  /** Whether the arguments of the turn that goes on may leave beside signed thinking. */
  readonly argumentsBesideSignedThinking: boolean;
}

export const defaultEpochSettings: EpochSettings = {
  share: 0.75,
  shareAtTurn: 0.375,
  small: 120,
  largeArguments: 600,
  trim: { over: 4_000, head: 1_500, tail: 500 },
  differences: true,
  deactivate: "at-epoch-end",
  superseded: "at-epoch-end",
  argumentsBesideSignedThinking: false,
};
