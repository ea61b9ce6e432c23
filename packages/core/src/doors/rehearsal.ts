export { isTextToFind } from "../calls/edit-pairs.ts";
export { type ArgumentForm, type KnownTool, knownTool } from "../calls/known-tools.ts";
export { type StandIn, standInsIn } from "../lines/stand-ins.ts";
export {
  openRehearsal,
  type Rehearsal,
  type RehearsedCall,
  type RehearsedSummary,
  type StoredRehearsal,
} from "../session/rehearsal.ts";
