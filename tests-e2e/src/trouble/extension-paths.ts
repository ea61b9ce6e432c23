import { fileURLToPath } from "node:url";
import { join } from "node:path";

import { piInstallation } from "../pi-versions.ts";
import type { ExtensionPath } from "./scenario.ts";

type OtherExtension =
  | "redactResults"
  | "redactRequests"
  | "maskSecrets"
  | "remoteFiles"
  | "gatePrivate"
  | "hintAfterRead"
  | "remindWithNewTime"
  | "remindWithFixedTime"
  | "remindInPrompt"
  | "primeWithAnswers"
  | "lastPromptsOnly"
  | "foreignActivate"
  | "lateActivate"
  | "oddResults"
  | "planMode";

/** The other extensions of the scenarios, by what they do. Pi loads them as a user's own files. */
export const otherExtensions: Readonly<Record<OtherExtension, ExtensionPath>> = {
  redactResults: own("redact-results"),
  redactRequests: own("redact-requests"),
  maskSecrets: own("mask-secrets"),
  remoteFiles: own("remote-files"),
  gatePrivate: own("gate-private"),
  hintAfterRead: own("hint-after-read"),
  remindWithNewTime: own("remind-with-new-time"),
  remindWithFixedTime: own("remind-with-fixed-time"),
  remindInPrompt: own("remind-in-prompt"),
  primeWithAnswers: own("prime-with-answers"),
  lastPromptsOnly: own("last-prompts-only"),
  foreignActivate: own("foreign-activate"),
  lateActivate: own("late-activate"),
  oddResults: own("odd-results"),
  /** Pi's own example, in the release's own version. */
  planMode: (pi) =>
    join(piInstallation(pi).packageFolder, "examples/extensions/plan-mode/index.ts"),
};

function own(name: string): string {
  return fileURLToPath(new URL(`extensions/${name}.ts`, import.meta.url));
}
