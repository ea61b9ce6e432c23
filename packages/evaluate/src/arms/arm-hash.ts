import { canonicalJson, sha256 } from "@self-context-manager/objects";

import type { Arm } from "../model/arm.ts";

/** Returns the SHA-256 of what an arm does, in hex. Its name and its title are left out: another wording is the same arm. */
export function armHash({ name: _name, title: _title, ...does }: Arm): string {
  return sha256(canonicalJson({ ...does }));
}
