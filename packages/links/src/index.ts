export {
  type DocumentParts,
  documentUpkeep,
  type DocumentUpkeep,
  type UpkeepOptions,
} from "./document-upkeep.ts";
export { expand, type Expanded, type ExpandOptions, type Expansion } from "./expand.ts";
export {
  backlinksOf,
  type FollowedLink,
  linkAmong,
  linkNamed,
  type LinkParts,
  linksOf,
  linksOfVersion,
  linkWritten,
} from "./follow-links.ts";
export {
  type Direction,
  type Edge,
  edgesOf,
  type LinkWalk,
  plainRelation,
  type Reached,
  walkLinks,
  type WalkOptions,
} from "./graph.ts";
export { type FileFinder, linksToFiles } from "./links-to-files.ts";
export { lineAt, matchingLine, type MatchingLine, type ShownLine } from "./matching-line.ts";
export { linkKeys, nameKey, sharedTag, tagKey } from "./name-keys.ts";
export { nearestNames } from "./nearest-names.ts";
export {
  backlinksWithRelation,
  linksWithRelation,
  readRelation,
  type WantedRelation,
} from "./relations.ts";
export { type LinkRank, type LinkTarget, resolveLink } from "./resolve-link.ts";
export { hasHeading, headingOf, onVisibleLines, sectionOf } from "./sections.ts";
export {
  documentKinds,
  isDocument,
  type MayContinue,
  updateIndex,
  type UpdateOptions,
  type UpdateOutcome,
} from "./update-index.ts";
export { searchedText, type SearchUpdateOptions, updateSearch } from "./update-search.ts";
