import { type RecentlyUsedOptions, usualNumbers } from "../../policy/recently-used-policy.ts";
import { type EpochSettings, isFolding } from "./epoch-settings.ts";

/** The part of the epoch settings in which a named setting differs from the defaults. */
export type NamedEpochSettings = Partial<
  Pick<EpochSettings, "share" | "shareAtTurn" | "freshOutputs">
>;

/** Numbers of the policy *recently used* and of the layout with epochs that belong together. */
interface NamedNumbers {
  readonly policy: Required<RecentlyUsedOptions>;
  readonly epochs: NamedEpochSettings;
}

/** A named setting. `withoutFolds`: its numbers if nothing is folded; undefined: they are the same. */
export interface NamedSetting extends NamedNumbers {
  readonly withoutFolds?: NamedNumbers;
}

/**
 * The named settings. A thrifty session costs less, and the model more often lacks a text that it needs: it shows even
 * new long outputs by their ends. A careful session costs more, and the model seldom lacks one.
 */
export const namedSettings: Readonly<Record<"thrifty" | "default" | "careful", NamedSetting>> = {
  thrifty: {
    policy: usualNumbers,
    epochs: { share: 1.7, shareAtTurn: 0.85, freshOutputs: "ends" },
  },
  default: { policy: usualNumbers, epochs: {} },
  careful: {
    policy: { alive: 90, kept: 3 },
    epochs: { share: 2.7, shareAtTurn: 1.4 },
    withoutFolds: { policy: { alive: 80, kept: 3 }, epochs: { share: 4.3, shareAtTurn: 2.1 } },
  },
};

/** Returns the numbers of a named setting, with some settings of epochs. */
export function namedNumbers(
  name: keyof typeof namedSettings,
  epochs: Partial<EpochSettings> = {},
): NamedNumbers {
  const named = namedSettings[name];
  return isFolding(epochs) ? named : (named.withoutFolds ?? named);
}
