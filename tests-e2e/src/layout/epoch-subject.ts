import { defaultEpochSettings, epochLayout, type EpochSettings } from "@self-context-manager/core";
import type { EpochSubject } from "@self-context-manager/testkit";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Returns the epoch layout with some settings, for the laws of epochs. */
export function epochSubject(settings: Partial<EpochSettings>): EpochSubject {
  return {
    make: epochLayout,
    settings: { ...defaultEpochSettings, ...settings },
    countTokens: (text) => encode(text).length,
  };
}
