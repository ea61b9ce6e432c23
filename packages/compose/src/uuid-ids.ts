import type { Clock, IdSource } from "@self-context-manager/core";
import { objectId } from "@self-context-manager/objects";
import { V7Generator } from "uuidv7";

/** Creates UUIDv7 by a clock; each id is greater than the one before, even if the clock is set back. */
export function uuidIds(clock: Clock): IdSource {
  const generator = new V7Generator();
  let latest = 0;
  return {
    next() {
      latest = Math.max(latest, clock.now());
      return objectId(generator.generateOrResetWithTs(latest).toString());
    },
  };
}
