export { attributedBytes, type StoredBytes } from "../inspect/attributed-bytes.ts";
export { readAccountRow } from "../cost/account-row.ts";
export { type CostAccount, type SessionBill, sessionBill } from "../cost/cost-account.ts";
export { contentVersions } from "../inspect/content-versions.ts";
export { readVersions, type ReadVersion } from "../inspect/read-versions.ts";
export {
  compareViews,
  type MessageDifference,
  type ViewDifference,
} from "../inspect/compare-views.ts";
export {
  type DescribedEntry,
  describeEntries,
  namedVersions,
  type VersionName,
} from "../view/describe-entries.ts";
export type {
  CallSummary,
  ListedCall,
  RebuiltView,
  SentPrompt,
  ViewProblem,
} from "../inspect/rebuilt-view.ts";
export { rebuildView, viewHistory, type ViewHistory } from "../inspect/view-history.ts";
export type {
  CacheMiss,
  CallCost,
  MissReason,
  PartChange,
  PartKind,
  SessionTimeline,
  TimelineCall,
  TimelinePart,
} from "../inspect/timeline.ts";
export { timelineReader, type TimelineReader } from "../inspect/timeline-reader.ts";
export { sentMessages } from "../view/view-object.ts";
export { epochEndReason } from "../view/epoch-end-reason.ts";
export { summaryCosts, type SummaryCosts } from "../inspect/session-costs.ts";
export {
  type ContainedObject,
  type ContainedSession,
  firstWords,
  storeContents,
  type StoreContents,
} from "../inspect/store-contents.ts";
export {
  planRemoval,
  type PlannedSession,
  type RemovalParts,
  type RemovalPlan,
  type RemovalRule,
  type SparedReason,
} from "../inspect/plan-removal.ts";
export { type KeptReason, parentOf } from "../inspect/removable-objects.ts";
export { removableObjects } from "../inspect/removable-objects.ts";
