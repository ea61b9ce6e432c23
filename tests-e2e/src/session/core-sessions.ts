// The sessions of core's own tests, for tests that add a store, a host or the test kit to them. Core does not export
// them: its tests may not depend on a package that depends on core, and no other package needs them. So only this
// file imports from core's test folder.

// @boundaries-ignore core exports nothing of its test folder
export { growingViews } from "../../../packages/core/test/session/clocked-session.ts";
// @boundaries-ignore core exports nothing of its test folder
export { failingStore } from "../../../packages/core/test/session/failing-store.ts";
// @boundaries-ignore core exports nothing of its test folder
export { type FakeFiles, fakeFiles } from "../../../packages/core/test/session/fake-files.ts";
// @boundaries-ignore core exports nothing of its test folder
export {
  type ScriptedHistory,
  scriptHistory,
} from "../../../packages/core/test/session/script-history.ts";
// @boundaries-ignore core exports nothing of its test folder
export {
  openTestSession,
  plainCodec,
  testHost,
  type TestSession,
} from "../../../packages/core/test/session/test-session.ts";
// @boundaries-ignore core exports nothing of its test folder
export {
  latest,
  storedSession,
  textOfMessage,
  versionCount,
} from "../../../packages/core/test/session/view-parts.ts";
