import { defined } from "@self-context-manager/objects";

import { handle, target } from "./handles.ts";
import { line, type LineKind, number, type Slot } from "./line-kind.ts";

/** The argument stubs: each replaces a long text in the arguments of a tool call. */
export const argumentStubs: {
  readonly inFile: LineKind<[characters: number, handle: string, version: number]>;
  readonly leftOut: LineKind<[characters: number]>;
} = {
  inFile: line`[${number} characters, now in ${handle} v${number}]`,
  leftOut: line`[${number} characters left out]`,
};

/** The marks inside partly shown text: each replaces the text between the shown ends. */
export const omissionMarks: {
  readonly content: LineKind<[characters: number, target: string]>;
  readonly contentWithoutRoom: LineKind<[characters: number, target: string]>;
  readonly message: LineKind<[characters: number, target: string]>;
} = {
  content: line`[${number} characters not shown; activate ${target} shows all, or lines from and to]`,
  contentWithoutRoom: line`[${number} characters not shown; no room for more, activate ${target} with from and to shows a part]`,
  message: line`[${number} characters not shown; activate ${target} with from and to reads it]`,
};

/** A kind of file: `image`, `document`, `audio` or `video`. */
const fileKind: Slot<string> = {
  name: "FILE",
  pattern: "(?:image|document|audio|video)",
  write: String,
};

/** Replaces an image or another file of a user's message that has left the view. */
export const fileMark: LineKind<[file: string, handle: string]> =
  line`[${fileKind} not shown; activate ${handle} shows it]`;

/** A stand-in that was found in a text: an argument stub or an omission mark. */
export interface StandIn {
  /** The stand-in as it is in the text. */
  readonly text: string;
  readonly isStub: boolean;
  /** The number of characters that it stands for. */
  readonly characters: number;
  /** The handle that it names, or the name of the chat; undefined if it names none. */
  readonly of?: string;
  /** The version of the file that an argument stub names. */
  readonly version?: number;
}

/** Returns the argument stubs and omission marks in a text, each once, also in the middle of a line. */
export function standInsIn(text: string): readonly StandIn[] {
  const found = new Map<string, StandIn>();
  for (const [match] of text.matchAll(anyStandIn)) {
    const [, of, version] = namedTarget.exec(match) ?? [];
    found.set(match, {
      text: match,
      isStub: !match.includes(" not shown; "),
      characters: Number.parseInt(match.slice(1), 10),
      ...defined({ of }),
      ...(version === undefined ? {} : { version: Number(version) }),
    });
  }
  return [...found.values()];
}

const anyStandIn = new RegExp(
  [...Object.values(argumentStubs), ...Object.values(omissionMarks)]
    .map(({ pattern }) => pattern)
    .join("|"),
  "gu",
);

const namedTarget = new RegExp(
  `(?:now in|activate) (${target.pattern})(?: v(${number.pattern}))?`,
  "u",
);
