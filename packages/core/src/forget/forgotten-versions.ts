import type { ForgottenNote, StoredVersion, StorePrivacy } from "@self-context-manager/objects";

import { forgottenForm } from "./forgotten-mark.ts";
import { withTexts } from "./forgotten-object.ts";
import { forgottenFilter } from "./forgotten-texts.ts";

/**
 * Returns a function that gives a version from outside, such as one of an export or a backup, with marks instead of
 * forgotten texts (decision D69). It gives the same version each time.
 */
export function forgottenVersions(
  privacy: Pick<StorePrivacy, "key" | "forgotten">,
): (stored: StoredVersion) => StoredVersion {
  if (privacy.forgotten.length === 0) return (stored) => stored;
  const change = forgottenFilter(privacy);
  const clean = new WeakSet<object>();
  const [[, date = "", reason = ""] = []] = (privacy.forgotten[0]?.mark ?? "").matchAll(
    forgottenForm,
  );
  const note: ForgottenNote = { at: `${date}T00:00:00.000Z`, reason };
  return (stored) => {
    const object = withTexts(stored, note, { change, clean });
    if (object === undefined) return stored;
    const { version, at } = stored;
    return { body: object.body, hashes: object.hashes, version, at };
  };
}
