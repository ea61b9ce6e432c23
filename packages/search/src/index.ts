export { openSearchIndex, type SearchIndexOptions } from "./open-search-index.ts";
export { queryWords, splitWords } from "./split-words.ts";
