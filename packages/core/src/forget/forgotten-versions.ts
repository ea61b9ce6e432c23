import type { ForgottenNote, StoredVersion, StorePrivacy } from "@self-context-manager/objects";

import { withTexts } from "./forgotten-object.ts";
import { forgottenFilter } from "./forgotten-texts.ts";

/** The mark of a forgotten text, with its date and its reason. */
const markForm = /^\[forgotten: (\d{4}-\d{2}-\d{2}), (.+)\]$/u;

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
  const [, date = "", reason = ""] = markForm.exec(privacy.forgotten[0]?.mark ?? "") ?? [];
  const note: ForgottenNote = { at: `${date}T00:00:00.000Z`, reason };
  return (stored) => {
    const object = withTexts(stored, note, { change, clean });
    if (object === undefined) return stored;
    const { version, at } = stored;
    return { body: object.body, hashes: object.hashes, version, at };
  };
}
