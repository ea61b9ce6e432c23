import {
  chatCut,
  chatLineCut,
  chatLinesHeader,
  chatTurnHeader,
  chatTurnsHeader,
  turnSummaryHeader,
} from "./chat-lines.ts";
import { foldHeader, foldHeaderOfOne } from "./fold-lines.ts";
import { handle } from "./handles.ts";
import {
  earlierVersionHeader,
  fieldHeader,
  headers,
  linkedObjects,
  manyChanges,
  metadataLines,
  pooledHeaders,
  referenceLines,
  titles,
} from "./object-lines.ts";
import {
  archivedChat,
  linkProblems,
  missingMessages,
  omissionNotices,
  partNotShown,
  pinnedNotices,
  poolLines,
  setsLine,
} from "./notices.ts";
import { argumentStubs, fileMark, omissionMarks } from "./stand-ins.ts";

/** A kind of line that the context manager writes into views. */
export interface OwnLine {
  readonly shape: string;
  /** Source of a regular expression that matches every such line, without anchors. */
  readonly pattern: string;
}

/** The rows around a content: at least three tildes. */
const fenceRow: OwnLine = { shape: "~~~", pattern: "~{3,}" };

/** Every kind of line that the context manager writes into views, by its part of the view. */
export const ownLines: Readonly<Record<string, readonly OwnLine[]>> = {
  "content blocks": [
    ...Object.values(titles),
    ...Object.values(headers),
    earlierVersionHeader,
    fieldHeader,
    chatTurnHeader,
    chatTurnsHeader,
    chatLinesHeader,
    turnSummaryHeader,
    chatCut,
    chatLineCut,
    fenceRow,
  ],
  "content blocks of the pooled layout": Object.values(pooledHeaders),
  "objects without content": [
    ...Object.values(metadataLines),
    ...Object.values(referenceLines),
    linkedObjects,
    manyChanges,
  ],
  notices: [
    ...Object.values(pinnedNotices),
    linkProblems,
    ...Object.values(omissionNotices),
    foldHeader,
    foldHeaderOfOne,
    partNotShown,
    ...Object.values(missingMessages),
    archivedChat,
  ],
  "pools of the pooled layout": [...Object.values(poolLines), setsLine],
  "text and files that are not shown": [
    ...Object.values(argumentStubs),
    ...Object.values(omissionMarks),
    fileMark,
  ],
};

const allKinds = Object.values(ownLines).flat();

const ownLine = new RegExp(
  `^\\s*(?:${allKinds.map(({ pattern }) => pattern).join("|")})\\s*$`,
  "u",
);

/** Whether a line is one that the context manager writes into views. Blanks around it do not count. */
export function isOwnLine(text: string): boolean {
  return ownLine.test(text);
}

/**
 * Whether a text of somebody else has a line that could be taken for one of the context manager. Such a text is always
 * shown inside a fence. A line that only begins like a reference line counts as well.
 */
export function hasOwnLine(text: string): boolean {
  return text.split(lineBreak).some((one) => isOwnLine(one) || likeReference.test(one));
}

/** Everything that a reader could take for the end of a line. */
const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/u;

const likeReference = new RegExp(`^\\s*\\[${handle.pattern} `, "u");
