import type { FoundText } from "@self-context-manager/objects";

import type { ForgottenMask } from "../forget/forgotten-mask.ts";

/** What a session found in the texts that came in. */
export interface SecretsSeen {
  /** The number of different secrets, by the name of the rule that found them. */
  readonly found: ReadonlyMap<string, number>;
  /** Whether marks replace them in the store. If not, they are stored as they are. */
  readonly isHiding: boolean;
  /** Whether a view has a mark of which the bytes are gone. */
  readonly hasLost: boolean;
}

/** The mask of one session, which remembers what it found. */
export interface SessionMask extends ForgottenMask {
  readonly seen: SecretsSeen;
}

export function sessionMask(mask: ForgottenMask): SessionMask {
  const ids = new Set<string>();
  const found = new Map<string, number>();
  let hasLost = false;
  const note = ({ rule, id }: FoundText): void => {
    if (ids.has(id)) return;
    ids.add(id);
    found.set(rule, (found.get(rule) ?? 0) + 1);
  };
  return {
    isHiding: mask.isHiding,
    hide: (text) => mask.hide(text, note),
    learn: (privacy) => mask.learn(privacy),
    get revision() {
      return mask.revision;
    },
    reveal: (text, onLost) =>
      mask.reveal(text, () => {
        hasLost = true;
        onLost?.();
      }),
    seen: {
      found,
      isHiding: mask.isHiding,
      get hasLost() {
        return hasLost;
      },
    },
  };
}
