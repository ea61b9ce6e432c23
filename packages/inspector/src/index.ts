export type {
  CallAnswer,
  CallMessage,
  ChangeNotice,
  ErrorAnswer,
  GraphAnswer,
  ObjectAnswer,
  SearchAnswer,
  SessionAnswer,
  SessionRow,
  SessionsAnswer,
  SnapshotData,
  StoreAnswer,
  VersionAnswer,
} from "./answers.ts";
export type { InspectedStore, Timelines } from "./inspected-store.ts";
export { type Inspector, type InspectorOptions, openInspector } from "./server/open-inspector.ts";
export { type SnapshotOptions, writeSnapshot } from "./snapshot/write-snapshot.ts";
