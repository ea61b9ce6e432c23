import type { DeliberateFault } from "./deliberate-fault.ts";

/** Faults that the tests in `packages/search/test` must find. */
export const searchFaults: readonly DeliberateFault[] = [
  {
    file: "rank-texts.ts",
    of: "for (const key of incomplete(prepared)) weights[key - first] = 0;",
    becomes: "",
    breaks: "A text is found before all texts of its add are there.",
  },
  {
    file: "rank-texts.ts",
    of: "other.key - one.key",
    becomes: "one.key - other.key",
    breaks: "Of two texts that fit equally well, the older one comes first.",
  },
  {
    file: "rank-texts.ts",
    of: "Math.max(leastWeight, Math.log(ratio))",
    becomes: "1",
    breaks: "A text with a rare word comes behind a short text with a frequent one.",
  },
  {
    file: "phrases.ts",
    of: "if (` ${splitWords(near)} `.includes(` ${words} `)) return true;",
    becomes: "return true;",
    breaks: "A phrase is found in a text that has its letters as parts of other words.",
  },
  {
    file: "search-texts.ts",
    of: "limit: mostRead",
    becomes: "limit: Infinity",
    breaks: "A phrase of frequent words reads the whole store.",
  },
  {
    file: "split-words.ts",
    of: 'return ascii.test(words) ? words : composed(words.normalize("NFD").replace(accents, ""));',
    becomes: "return words;",
    breaks: "A word without accents does not find the same word with accents.",
  },
  {
    file: "open-search-index.ts",
    of: "schemaVersion = 5",
    becomes: "schemaVersion = 4",
    breaks: "An index with other tables is used, and each search and each add fails.",
  },
  {
    file: "scan/selected-versions.ts",
    of: "await setImmediate();",
    becomes: "",
    breaks: "A scan of a large store keeps the memory of all that it has unpacked.",
  },
];
