export type { InspectedStore } from "./inspected-store.ts";
export { type PageFiles, PageMissingError, redactedMark, snapshotTitle } from "./page-files.ts";
export { type Inspector, type InspectorOptions, openInspector } from "./server/open-inspector.ts";
export { type SnapshotOptions, writeSnapshot } from "./snapshot/write-snapshot.ts";
