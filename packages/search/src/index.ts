export { openSearchIndex, type SearchIndexOptions } from "./open-search-index.ts";
export { type ScanHit, type ScanQuery, type ScanResult, scanTexts } from "./scan/scan-texts.ts";
export type { ScanPattern } from "./scan/read-pattern.ts";
export { queryWords, splitWords } from "./split-words.ts";
