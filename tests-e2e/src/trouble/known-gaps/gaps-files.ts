import type { KnownGaps } from "./known-gaps.ts";

const linesBetween = "all lines between two ranges are sent";
const notCut = "a long line is not cut as the host cuts it";
const wholeChange = "a change is sent as the new lines, however many";
const notUtf8 = "a file that is not UTF-8 has no content";
const nameIsVersion = "a name is a new version, which is reported";
const sizes = "sends at most 3 % and 200 tokens more than plain Pi";

/** What is missing for a session with odd and changing files. */
export const gapsInFiles: KnownGaps = {
  "three ranges of a file of 5,000 lines": {
    [sizes]: linesBetween,
    "shows each line of the ranges once, and no other line": linesBetween,
  },
  "50 lines in the middle of a log of 17 MB after its head": {
    [sizes]: linesBetween,
    "shows the lines of both places": "lines between the ranges take the place of the second one",
  },
  "a file with one line of 2.2 MB": {
    [sizes]: notCut,
    "gives the model Pi's own advice": "the look at the disk stands for the result",
  },
  "a file with one line of 60 kB among short ones": {
    [sizes]: notCut,
  },
  "a log that grows by 60 kB a turn": {
    [sizes]: wholeChange,
    "sends no line of the growth": wholeChange,
  },
  "a log of 40 MB that grows": {
    [sizes]: wholeChange,
  },
  "a file beyond the size that is read, which changes": {
    "reports to the model that the file has changed": "a file beyond the size is not watched",
  },
  "files in mixed encodings": {
    "shows the text of latin-1.txt that plain Pi shows": notUtf8,
    "shows the text of utf-16.txt that plain Pi shows": notUtf8,
    "shows the text of shift-jis.txt that plain Pi shows": notUtf8,
    "shows the text of nul.txt that plain Pi shows": notUtf8,
  },
  "a rewrite by another program": {
    [sizes]: wholeChange,
    "sends no line of the new content": wholeChange,
  },
  "a file that is renamed": {
    "reports no new version": nameIsVersion,
  },
  "a file that the user names": {
    "reports no new version": nameIsVersion,
  },
};
