import { defaultEpochSettings, epochLayout, type EpochSettings } from "@self-context-manager/core";
import type { EpochSubject } from "@self-context-manager/testkit";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Limits so small that a few words are trimmed, shown as diffs, and removed. */
export const smallSizes: Partial<EpochSettings> = {
  small: 20,
  largeArguments: 60,
  replacedTexts: 0,
  otherArguments: { over: 60, age: 1 },
  earlierThinking: "leaves",
  folds: { age: 1 },
  trim: { over: 200, head: 60, tail: 30 },
  freshOutputs: "whole",
};

/** Returns the epoch layout with some settings, for the laws of epochs. */
export function epochSubject(settings: Partial<EpochSettings>): EpochSubject {
  return {
    make: epochLayout,
    settings: { ...defaultEpochSettings, ...settings },
    countTokens: (text) => encode(text).length,
  };
}
