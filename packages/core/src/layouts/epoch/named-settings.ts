import { type RecentlyUsedOptions, usualNumbers } from "../../policy/recently-used-policy.ts";
import { defaultEpochSettings, type EpochSettings } from "./epoch-settings.ts";

/** The part of the epoch settings in which the named settings differ. */
export type NamedEpochSettings = Pick<EpochSettings, "share" | "shareAtTurn" | "freshOutputs">;

/** Numbers of the policy *recently used* and of the layout with epochs that belong together. */
export interface NamedSetting {
  readonly policy: Required<RecentlyUsedOptions>;
  readonly epochs: NamedEpochSettings;
}

const { share, shareAtTurn, freshOutputs } = defaultEpochSettings;

/**
 * The named settings. A thrifty session costs less, and the model more often lacks a text that it needs: it shows even
 * new long outputs by their ends. A careful session costs more, and the model seldom lacks one.
 */
export const namedSettings: Readonly<Record<"thrifty" | "default" | "careful", NamedSetting>> = {
  thrifty: {
    policy: usualNumbers,
    epochs: { share: 1.7, shareAtTurn: 0.85, freshOutputs: "ends" },
  },
  default: { policy: usualNumbers, epochs: { share, shareAtTurn, freshOutputs } },
  careful: {
    policy: { alive: 80, kept: 3 },
    epochs: { share: 4.3, shareAtTurn: 2.1, freshOutputs },
  },
};
