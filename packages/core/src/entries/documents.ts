export {
  backlinksOf,
  type FollowedLink,
  linkNamed,
  type LinkParts,
  linksOf,
  linksOfVersion,
} from "../documents/follow-links.ts";
export {
  type Direction,
  type Edge,
  edgesOf,
  type LinkWalk,
  plainRelation,
  type Reached,
  walkLinks,
  type WalkOptions,
} from "../documents/graph.ts";
export { expand, type Expanded, type ExpandOptions, type Expansion } from "../documents/expand.ts";
export { type FileFinder, linksToFiles } from "../documents/links-to-files.ts";
export type { LinkRank, LinkTarget } from "../documents/resolve-link.ts";
export {
  type DocumentParts,
  documentUpkeep,
  type DocumentUpkeep,
  type UpkeepOptions,
} from "../documents/document-upkeep.ts";
export { updateSearch } from "../documents/update-search.ts";
export {
  isDocument,
  type MayContinue,
  updateIndex,
  type UpdateOptions,
  type UpdateOutcome,
} from "../documents/update-index.ts";
export { matchingLine, type MatchingLine } from "../documents/matching-line.ts";
export { hasHeading } from "../documents/sections.ts";
export { tagKey } from "../documents/name-keys.ts";
export {
  backlinksWithRelation,
  linksWithRelation,
  readRelation,
  type WantedRelation,
} from "../documents/relations.ts";
