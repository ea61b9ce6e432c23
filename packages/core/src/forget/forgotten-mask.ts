import type { StorePrivacy, TextMask } from "@self-context-manager/objects";

import { forgottenFilter } from "./forgotten-texts.ts";

/** A mask that also puts the marks of forgotten texts into what comes in. */
export interface ForgottenMask extends TextMask {
  /** Learns what was forgotten until now. */
  learn(privacy: StorePrivacy): void;
  /** A number that changes when `hide` gives other texts than before. */
  readonly revision: number;
}

/**
 * Returns a mask that puts marks into what comes in: those of forgotten texts (decision D69), and those of `inner`. The
 * former stay marks in what is sent too. An `inner` that does so already is returned.
 */
export function forgottenMask(inner?: TextMask): ForgottenMask {
  if (isForgottenMask(inner)) return inner;
  let filter = asItIs;
  let revision = 0;
  return {
    isHiding: inner?.isHiding ?? false,
    hide(text, onFound) {
      const left = filter(text);
      return inner === undefined ? left : inner.hide(left, onFound);
    },
    reveal: (text, onLost) => (inner === undefined ? text : inner.reveal(text, onLost)),
    learn(privacy) {
      if (privacy.generation === revision) return;
      filter = forgottenFilter(privacy);
      revision = privacy.generation;
    },
    get revision() {
      return revision;
    },
  };
}

function isForgottenMask(mask: TextMask | undefined): mask is ForgottenMask {
  return mask !== undefined && "learn" in mask;
}

function asItIs(text: string): string {
  return text;
}
