import type { HarnessSupports } from "@self-context-manager/core/host";

import type { HarnessScenario } from "./harness-host.ts";
import {
  activateBringsBack,
  deactivatedIsGone,
  openedIsAsItWas,
  pinnedStays,
} from "./laws/activation.ts";
import {
  compactionByTheUserFrees,
  noMoreThanTheHost,
  refusalLowersTheBudget,
} from "./laws/amounts.ts";
import {
  activeContentIsShown,
  imagesSurvive,
  secretsAreMarks,
  standInsAreNotWritten,
  readShowsTheFileOnce,
  resultsAreReferences,
  writtenFileIsRefreshed,
} from "./laws/contents.ts";
import {
  archivedIsNamed,
  beginningIsFollowed,
  branchIsFollowed,
  compactionKeepsTheView,
  forkKeepsContents,
  resentMessagesAreKnown,
  resumeIsIdentical,
} from "./laws/history.ts";
import {
  detailsAreRecorded,
  failureIsNotifiedOnce,
  failureLetsThrough,
  hostRecordIsUntouched,
  offSwitchPassesThrough,
  silentStoreDelaysNothing,
} from "./laws/host.ts";
import { requestChangesAreFollowed, resultsAreAsGiven } from "./laws/others.ts";
import { reasoningIsKept, signedThinkingStaysValid } from "./laws/thinking.ts";
import {
  failedAnswersFollowTheHost,
  instructionIsConstant,
  newestUserMessageIsThere,
  pairingIsLegal,
  repeatedIdsAreOtherCalls,
  requestsHaveTheirHash,
  systemPromptsAreRecorded,
  unknownMessagesPass,
} from "./laws/sequence.ts";

/** The key of a law. It names the law in the doc comment of `HarnessAdapter` and names the law's test. */
export type HarnessLaw =
  | "results-are-references"
  | "active-content-is-shown"
  | "read-shows-the-file-once"
  | "written-file-is-refreshed"
  | "stand-ins-are-not-written"
  | "secrets-are-marks"
  | "deactivated-is-gone"
  | "pinned-stays"
  | "activate-brings-back"
  | "opened-is-as-it-was"
  | "pairing-is-legal"
  | "repeated-ids-are-other-calls"
  | "failed-answers-follow-the-host"
  | "images-survive"
  | "newest-user-message-is-there"
  | "instruction-is-constant"
  | "system-prompts-are-recorded"
  | "requests-have-their-hash"
  | "reasoning-is-kept"
  | "signed-thinking-stays-valid"
  | "unknown-messages-pass"
  | "host-record-is-untouched"
  | "details-are-recorded"
  | "failure-lets-through"
  | "failure-is-notified-once"
  | "silent-store-delays-nothing"
  | "off-switch-passes-through"
  | "resume-is-identical"
  | "resent-messages-are-known"
  | "branch-is-followed"
  | "beginning-is-followed"
  | "fork-keeps-contents"
  | "compaction-keeps-the-view"
  | "results-are-as-given"
  | "request-changes-are-followed"
  | "no-more-than-the-host"
  | "refusal-lowers-the-budget"
  | "compaction-by-the-user-frees"
  | "archived-is-named";

/** All laws, each with the scenario that tests it. */
export const harnessLaws: Readonly<Record<HarnessLaw, HarnessScenario>> = {
  "results-are-references": resultsAreReferences,
  "active-content-is-shown": activeContentIsShown,
  "read-shows-the-file-once": readShowsTheFileOnce,
  "written-file-is-refreshed": writtenFileIsRefreshed,
  "stand-ins-are-not-written": standInsAreNotWritten,
  "secrets-are-marks": secretsAreMarks,
  "deactivated-is-gone": deactivatedIsGone,
  "pinned-stays": pinnedStays,
  "activate-brings-back": activateBringsBack,
  "opened-is-as-it-was": openedIsAsItWas,
  "pairing-is-legal": pairingIsLegal,
  "repeated-ids-are-other-calls": repeatedIdsAreOtherCalls,
  "failed-answers-follow-the-host": failedAnswersFollowTheHost,
  "images-survive": imagesSurvive,
  "newest-user-message-is-there": newestUserMessageIsThere,
  "instruction-is-constant": instructionIsConstant,
  "system-prompts-are-recorded": systemPromptsAreRecorded,
  "requests-have-their-hash": requestsHaveTheirHash,
  "reasoning-is-kept": reasoningIsKept,
  "signed-thinking-stays-valid": signedThinkingStaysValid,
  "unknown-messages-pass": unknownMessagesPass,
  "host-record-is-untouched": hostRecordIsUntouched,
  "details-are-recorded": detailsAreRecorded,
  "failure-lets-through": failureLetsThrough,
  "failure-is-notified-once": failureIsNotifiedOnce,
  "silent-store-delays-nothing": silentStoreDelaysNothing,
  "off-switch-passes-through": offSwitchPassesThrough,
  "resume-is-identical": resumeIsIdentical,
  "resent-messages-are-known": resentMessagesAreKnown,
  "branch-is-followed": branchIsFollowed,
  "beginning-is-followed": beginningIsFollowed,
  "fork-keeps-contents": forkKeepsContents,
  "compaction-keeps-the-view": compactionKeepsTheView,
  "results-are-as-given": resultsAreAsGiven,
  "request-changes-are-followed": requestChangesAreFollowed,
  "no-more-than-the-host": noMoreThanTheHost,
  "refusal-lowers-the-budget": refusalLowersTheBudget,
  "compaction-by-the-user-frees": compactionByTheUserFrees,
  "archived-is-named": archivedIsNamed,
};

const managed = ["contextAssembly", "toolRegistration", "toolEvents", "sessionIds"] as const;

/** The capabilities that a host must declare before a law applies to its adapter. */
export const harnessLawNeeds: Readonly<Record<HarnessLaw, readonly (keyof HarnessSupports)[]>> = {
  "results-are-references": ["contextAssembly"],
  "active-content-is-shown": ["contextAssembly"],
  "read-shows-the-file-once": ["contextAssembly", "toolEvents"],
  "written-file-is-refreshed": ["contextAssembly", "toolEvents"],
  "stand-ins-are-not-written": ["contextAssembly", "toolGate", "toolEvents"],
  "secrets-are-marks": managed,
  "deactivated-is-gone": managed,
  "pinned-stays": managed,
  "activate-brings-back": ["contextAssembly", "toolRegistration", "toolEvents"],
  "opened-is-as-it-was": managed,
  "pairing-is-legal": managed,
  "repeated-ids-are-other-calls": managed,
  "failed-answers-follow-the-host": ["contextAssembly", "sessionIds"],
  "images-survive": [...managed, "images"],
  "newest-user-message-is-there": ["contextAssembly", "sessionIds"],
  "instruction-is-constant": [...managed, "instructions"],
  "system-prompts-are-recorded": ["contextAssembly", "instructions", "sessionIds"],
  "requests-have-their-hash": ["contextAssembly", "sessionIds", "requestPayloads"],
  "reasoning-is-kept": ["contextAssembly", "sessionIds", "signedThinking"],
  "signed-thinking-stays-valid": [...managed, "signedThinking"],
  "unknown-messages-pass": ["contextAssembly", "sessionIds", "ownMessages"],
  "host-record-is-untouched": [],
  "details-are-recorded": ["contextAssembly", "toolRegistration"],
  "failure-lets-through": ["contextAssembly", "toolRegistration"],
  "failure-is-notified-once": ["notices"],
  "silent-store-delays-nothing": ["contextAssembly", "toolRegistration"],
  "off-switch-passes-through": ["contextAssembly"],
  "resume-is-identical": managed,
  "resent-messages-are-known": ["contextAssembly", "sessionIds"],
  "branch-is-followed": ["contextAssembly", "branches"],
  "beginning-is-followed": ["contextAssembly", "branches"],
  "fork-keeps-contents": [...managed, "forks"],
  "compaction-keeps-the-view": ["contextAssembly", "compactionHook"],
  "results-are-as-given": [...managed, "otherExtensions"],
  "request-changes-are-followed": ["contextAssembly", "sessionIds", "otherExtensions"],
  "no-more-than-the-host": ["contextAssembly", "toolEvents"],
  "refusal-lowers-the-budget": ["contextAssembly", "sessionIds", "requestErrors"],
  "compaction-by-the-user-frees": [...managed, "summaries"],
  "archived-is-named": [...managed, "branches"],
};
