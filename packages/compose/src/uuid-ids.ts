import { type Clock, type IdSource, objectId } from "@self-context-manager/core";
import { V7Generator } from "uuidv7";

/** Mints UUIDv7 by a clock, each greater than the one before, even where the clock steps back. */
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
