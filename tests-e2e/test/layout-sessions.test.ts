import { epochLayout } from "@self-context-manager/core";
import {
  epochLaws,
  layoutLaws,
  type LayoutTrial,
  type SessionScript,
} from "@self-context-manager/testkit";
import { expect, it } from "vitest";

import { epochSubject, smallSizes } from "../src/layout/epoch-subject.ts";

it("an epoch may end because content that the model asks for again does not fit", () => {
  const answer = { type: "answer", text: "", thinking: "", stopReason: "stop" } as const;
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          { ...answer, calls: [] },
          { ...answer, calls: [{ does: "picture", comes: "at-once" }] },
        ],
        isCold: true,
      },
      {
        happenings: [
          { type: "budget", tokens: 120 },
          { ...answer, stopReason: "error", calls: [] },
          { type: "compaction", at: 31 },
        ],
        isCold: true,
      },
      { happenings: [{ ...answer, calls: [{ does: "activate", object: 0 }] }], isCold: false },
    ],
    kept: 1,
    alive: 1,
  };

  expect(() => epochLaws["an-end-is-justified"](epochSubject({}), only(script))).not.toThrow();
});

it("content that left the view for lack of space is shown when a user activates it and there is space", () => {
  const answer = { type: "answer", text: "", thinking: "thought", stopReason: "stop" } as const;
  const script: SessionScript = {
    moments: [
      {
        happenings: [{ ...answer, calls: [{ does: "picture", comes: "at-once" }] }],
        isCold: true,
      },
      {
        happenings: [
          { type: "budget", tokens: 120 },
          { ...answer, calls: [] },
        ],
        isCold: true,
      },
      { happenings: [{ type: "by-hand", does: { does: "activate", object: 0 } }], isCold: true },
      {
        happenings: [
          { type: "budget", tokens: undefined },
          { type: "user", said: { words: "and now", lines: 2 } },
        ],
        isCold: true,
      },
    ],
    kept: 3,
    alive: 3,
  };

  expect(() => layoutLaws["active-is-shown"](epochLayout({}), only(script))).not.toThrow();
});

it("the image of an output is shown when all of the output is activated after one of its lines", () => {
  const answer = { type: "answer", text: "", thinking: "", stopReason: "stop" } as const;
  const output = { words: "eros", lines: 300 };
  const drawing = { does: "command", output, fails: true, comes: "at-once", nth: 0 } as const;
  const activate = { does: "activate", object: 0 } as const;
  const script: SessionScript = {
    moments: [
      {
        happenings: [{ ...answer, calls: [{ ...drawing, hasImage: true }] }],
        isCold: true,
      },
      { happenings: [{ ...answer, text: "porttitor", calls: [] }], isCold: true },
      {
        happenings: [{ ...answer, calls: [{ ...activate, range: { from: 0, length: 0 } }] }],
        isCold: true,
      },
      {
        happenings: [
          { ...answer, calls: [activate] },
          { ...answer, text: "tristique", calls: [] },
        ],
        isCold: true,
      },
    ],
    kept: 1,
    alive: 1,
  };

  expect(() => layoutLaws["active-is-shown"](epochLayout({}), only(script))).not.toThrow();
});

it("a user message that was shown in part is whole when the estimate of its tokens falls", () => {
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;
  const said = [{ type: "text", text: "one line without an end" } as const, image];
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          { type: "budget", tokens: 1509 },
          { type: "user", said },
        ],
        isCold: true,
      },
      {
        happenings: [
          { type: "factor", factor: 0.8 },
          { type: "answer", text: "", thinking: "", stopReason: "stop", calls: [] },
        ],
        isCold: true,
      },
    ],
    kept: 1,
    alive: 1,
  };

  expect(() =>
    layoutLaws["newest-user-message-is-there"](epochLayout({}), only(script)),
  ).not.toThrow();
  expect(() => epochLaws["an-end-is-justified"](epochSubject({}), only(script))).not.toThrow();
});

it("a view fits its budget if a line replaces a shorter mention of content that had to leave", () => {
  const answer = { type: "answer", text: "", thinking: "", stopReason: "stop" } as const;
  const text = { words: "suscipit", lines: 300 };
  const output = { words: "sem", lines: 2 };
  const failing = { does: "command", output, fails: true, comes: "at-once", nth: 0 } as const;
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          { type: "budget", tokens: 421 },
          { ...answer, text: "et", thinking: "justo", calls: [] },
        ],
        isCold: true,
      },
      {
        happenings: [
          {
            ...answer,
            thinking: "nulla",
            calls: [{ does: "write", file: 10, text, comes: "at-once" }],
          },
          { ...answer, thinking: "augue", calls: [{ ...failing, hasImage: true }] },
        ],
        isCold: true,
      },
      {
        happenings: [{ type: "user", said: { words: "praesent leo", lines: 35 } }],
        isCold: true,
      },
      {
        happenings: [
          { ...answer, text: "odio", calls: [{ does: "read", file: 5 }] },
          { ...answer, text: "dolor", calls: [{ does: "activate", object: 0 }] },
          {
            ...answer,
            text: "adipiscing",
            calls: [
              { does: "read", file: 3 },
              { does: "activate", object: 9 },
            ],
          },
        ],
        isCold: true,
      },
    ],
    kept: 1,
    alive: 3,
  };

  expect(() => layoutLaws["budget-holds"](epochLayout({}), only(script))).not.toThrow();
});

/** Returns a trial of one session. */
it("a picture that is activated again at an epoch's end has its header instead of a line", () => {
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          {
            type: "answer",
            text: "blandit",
            thinking: "",
            stopReason: "stop",
            calls: [{ does: "deactivate", object: 0 }],
          },
          {
            type: "answer",
            text: "quam",
            thinking: "et",
            stopReason: "stop",
            calls: [
              {
                does: "command",
                output: { words: "amet", lines: 2 },
                fails: true,
                comes: "at-once",
                hasImage: true,
                nth: 0,
              },
              { does: "picture", comes: "at-once" },
              { does: "write", file: 0, text: "vitae", comes: "at-once" },
            ],
          },
        ],
        isCold: true,
      },
      {
        happenings: [
          { type: "left-out", turns: 0, messages: [24] },
          { type: "answer", text: "faucibus", thinking: "", stopReason: "stop", calls: [] },
        ],
        isCold: true,
      },
      {
        happenings: [
          {
            type: "answer",
            text: "varius",
            thinking: "",
            stopReason: "stop",
            calls: [
              {
                does: "command",
                output: "dolor",
                fails: true,
                comes: "at-once",
                hasImage: true,
                nth: 0,
              },
              { does: "activate", object: 0 },
            ],
          },
          {
            type: "answer",
            text: "",
            thinking: "",
            stopReason: "stop",
            calls: [{ does: "activate", object: 16 }],
          },
          { type: "model", thinking: "free" },
        ],
        isCold: true,
      },
      { happenings: [{ type: "by-hand", does: { does: "activate", object: 0 } }], isCold: true },
    ],
    kept: 1,
    keepsVersions: false,
    thinking: "free",
    alive: 3,
  };

  expect(() => epochLaws["removed-content-is-named"](epochSubject({}), only(script))).not.toThrow();
});

it("an output that a user activates is shown once, also if the epoch ends", () => {
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          {
            type: "answer",
            text: "",
            thinking: "",
            stopReason: "stop",
            calls: [
              { does: "write", file: 0, text: { words: "adipiscing", lines: 2 }, comes: "at-once" },
            ],
          },
          { type: "answer", text: "vivamus", thinking: "pretium", stopReason: "stop", calls: [] },
        ],
        isCold: true,
      },
      {
        happenings: [
          {
            type: "answer",
            text: "vitae",
            thinking: "",
            stopReason: "stop",
            calls: [
              { does: "write", file: 0, text: { words: "sed", lines: 2 }, comes: "at-once" },
              { does: "write", file: 1, text: { words: "maecenas", lines: 18 }, comes: "at-once" },
              {
                does: "command",
                output: { words: "consequat", lines: 2 },
                fails: true,
                comes: "at-once",
                hasImage: true,
                nth: 0,
              },
            ],
          },
        ],
        isCold: true,
      },
      { happenings: [{ type: "by-hand", does: { does: "activate", object: 20 } }], isCold: true },
      {
        happenings: [
          {
            type: "user",
            said: [
              { type: "text", text: "ac" },
              { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
            ],
          },
        ],
        isCold: true,
      },
    ],
    kept: 3,
    keepsVersions: false,
    thinking: "free",
    alive: 3,
  };

  expect(() => layoutLaws["active-is-shown"](epochLayout(removing), only(script))).not.toThrow();
});

it("an object that only a result above named has a line when it leaves", () => {
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          {
            type: "answer",
            text: "",
            thinking: "elit",
            stopReason: "stop",
            calls: [{ does: "write", file: 32, text: "adipiscing aliquam", comes: "never" }],
          },
          { type: "budget", tokens: undefined },
        ],
        isCold: true,
      },
      { happenings: [{ type: "by-hand", does: { does: "activate", object: 0 } }], isCold: true },
      {
        happenings: [
          {
            type: "answer",
            text: "",
            thinking: "sit",
            stopReason: "stop",
            calls: [{ does: "read", file: 38 }],
          },
          { type: "user", said: { words: "vitae", lines: 2 } },
        ],
        isCold: true,
      },
      { happenings: [{ type: "by-hand", does: { does: "deactivate", object: 0 } }], isCold: true },
      { happenings: [{ type: "compaction", at: 0 }], isCold: true },
    ],
    kept: 1,
    keepsVersions: false,
    thinking: "free",
    alive: 1,
  };

  expect(() =>
    epochLaws["removed-content-is-named"](epochSubject(removing), only(script)),
  ).not.toThrow();
});

const said = {
  type: "answer",
  text: "vel",
  thinking: "mi",
  stopReason: "stop",
  calls: [],
} as const;
const cold = { isCold: true } as const;

it.each<readonly [string, { readonly range?: { readonly from: number; readonly length: number } }]>(
  [
    ["the newest version of a file is shown once", {}],
    ["the newest version of lines of a file is shown once", { range: { from: 0, length: 0 } }],
  ],
)("%s if an epoch ends before the model has answered", (_, range) => {
  const picture = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;
  const change = { to: { words: "lorem", lines: 2 } };
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          { type: "user", said: [{ type: "text", text: "nibh" }, picture], paste: "new" },
        ],
        ...cold,
      },
      { happenings: [{ ...said, calls: [{ does: "read", file: 7, ...range }] }], ...cold },
      { happenings: [{ type: "file-changed", file: 1, change }], ...cold },
      { happenings: [{ type: "user", said: { words: "eu", lines: 2 } }], ...cold },
    ],
    kept: 1,
    alive: 1,
  };

  expect(() => layoutLaws["active-is-shown"](epochLayout({}), only(script))).not.toThrow();
});

it("older turns leave if a pinned text of one of them fills the view", () => {
  const pin = { does: "pin", object: 0 } as const;
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          { type: "user", said: { words: "magna", lines: 300 }, paste: "new" },
          { type: "by-hand", does: pin },
        ],
        ...cold,
      },
      { happenings: [said], ...cold },
      {
        happenings: [
          { type: "user", said: { words: "lobortis", lines: 2 } },
          { type: "user", said: { words: "adipiscing", lines: 2 } },
        ],
        ...cold,
      },
      { happenings: [{ type: "budget", tokens: 1318 }], ...cold },
    ],
    kept: 1,
    alive: 1,
  };

  expect(() => epochLaws["an-end-leaves-room"](epochSubject({}), only(script))).not.toThrow();
});

it("a line of an earlier version stays beside a content that is drawn again", () => {
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          {
            ...said,
            calls: [
              { does: "write", file: 1, text: { words: "convallis", lines: 2 }, comes: "at-once" },
              { does: "read", file: 2 },
              { does: "write", file: 0, text: { words: "purus", lines: 300 }, comes: "at-once" },
            ],
          },
          { type: "loaded", nth: 0, text: { words: "eu", lines: 2 } },
        ],
        ...cold,
      },
      {
        happenings: [
          { type: "by-hand", does: { does: "activate", object: 4 } },
          { type: "user", said: { words: "id", lines: 300 }, paste: "new" },
        ],
        ...cold,
      },
      {
        happenings: [
          {
            ...said,
            text: "",
            calls: [
              { does: "write", file: 0, text: { words: "sodales", lines: 2 }, comes: "at-once" },
            ],
          },
        ],
        ...cold,
      },
      { happenings: [{ type: "loaded", nth: 0, text: "ultricies" }], ...cold },
      { happenings: [{ type: "left-out", turns: 1, messages: [] }], ...cold },
    ],
    kept: 2,
    alive: 2,
  };

  expect(() => layoutLaws["output-is-legal"](epochLayout({}), only(script))).not.toThrow();
});

it("arguments before the first change stay if an epoch ends for the budget", () => {
  const answer = { ...said, text: "", thinking: "" } as const;
  const picture = { does: "picture", comes: "at-once" } as const;
  const script: SessionScript = {
    moments: [
      {
        happenings: [
          { type: "budget", tokens: 392 },
          { ...answer, text: "dolor" },
        ],
        ...cold,
      },
      {
        happenings: [{ type: "user", said: { words: "ultricies", lines: 2 }, paste: "new" }],
        ...cold,
      },
      {
        happenings: [
          { ...answer, calls: [{ does: "edit", file: 37, text: "", comes: "late" }] },
          { ...answer, calls: [picture] },
          { ...answer, thinking: "mi" },
        ],
        ...cold,
      },
      {
        happenings: [
          { ...answer, text: "suspendisse", calls: [picture] },
          { type: "late-result", which: 0 },
        ],
        ...cold,
      },
    ],
    kept: 1,
    alive: 1,
  };

  expect(() =>
    epochLaws["free-texts-leave-behind-the-cut"](epochSubject(smallSizes), only(script)),
  ).not.toThrow();
});

/** Limits so small that a few words are trimmed and removed, and dead content leaves at once. */
const removing = {
  small: 20,
  largeArguments: 60,
  trim: { over: 200, head: 60, tail: 30 },
  deactivate: "immediate",
} as const;

function only(script: SessionScript): LayoutTrial {
  return { numRuns: 1, endOnFailure: true, examples: [script] };
}
