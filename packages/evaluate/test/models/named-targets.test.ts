import { describe, expect, it, test } from "vitest";

import { foundTargets, namedTargets } from "../../src/models/named-targets.ts";
import type { SeenMessage } from "../../src/models/seen-request.ts";

const user = (text: string): SeenMessage => ({ role: "user", text, calls: [] });
const assistant = (text: string): SeenMessage => ({ role: "assistant", text, calls: [] });

/** A call with its result. */
const called = (args: SeenMessage["calls"][number]["arguments"], text: string): SeenMessage[] => [
  { role: "assistant", text: "", calls: [{ id: "c1", name: "tool", arguments: args }] },
  { role: "tool", text, calls: [], callId: "c1" },
];

const fold = `[14 calls of turn 3 are folded; activate chat with turn 3 shows them]
~~~
read: f2 src/parser.ts, f5 src/lexer.ts
edited: f2 src/parser.ts
ran t31 failed, 3 times: npm test -- parser
said: We keep the old format, because the clients need it.
~~~
The parser is faster now.`;

test.each<[string, string, readonly SeenMessage[], readonly unknown[]]>([
  [
    "the reference line of a command",
    "npm test",
    called({ command: "npm test" }, "[t3 ok, 4.1k chars]"),
    [{ id: "t3" }],
  ],
  [
    "an output that is cut",
    "npm test",
    called(
      { command: "npm test" },
      "t3 ok\n~~~\na\n[811 characters not shown; activate t3 shows all, or lines from and to]\nb\n~~~",
    ),
    [{ id: "t3" }],
  ],
  [
    "a metadata line of a file",
    "src/add.ts",
    called({ path: "src/add.ts" }, "[f1 src/add.ts 496 v2]"),
    [{ id: "f1" }],
  ],
  [
    "a metadata line with a cut path",
    "src/session/context-session.ts",
    [user("[f7 …/context-session.ts 12k]")],
    [{ id: "f7" }],
  ],
  [
    "a metadata line with a cut command",
    "npm run lint -- --fix",
    [user('[t4 bash "npm run lint… 911]')],
    [{ id: "t4" }],
  ],
  [
    "an argument that has left",
    "src/a.ts",
    called({ path: "src/a.ts", content: "[1200 characters, now in f3 v2]" }, "Wrote it."),
    [{ id: "f3@2" }],
  ],
  [
    "the row of a fold with a file",
    "src/lexer.ts",
    [assistant(fold)],
    [{ id: "f5" }, { id: "chat", turn: 3 }],
  ],
  [
    "the row of a fold with a command",
    "npm test -- parser",
    [assistant(fold)],
    [{ id: "t31" }, { id: "chat", turn: 3 }],
  ],
  [
    "a folded turn by the words of its prompt",
    "Which format do the clients of 2019 need?",
    [user("Which format do the clients of 2019 need?"), assistant(fold)],
    [{ id: "chat", turn: 3 }],
  ],
  [
    "a turn that is not shown",
    "the deploy window of the team",
    [
      user(
        "[turns 1 to 2 are not shown; activate chat with from and to reads their lines]\n~~~\n1. Hello -> Hello\n2. Remember the deploy window of the team: it is … -> Noted.\n~~~",
      ),
    ],
    [{ id: "chat", turn: 2 }],
  ],
  [
    "a call in an earlier turn that was opened",
    "sh open.sh 4",
    [user('--- toolcall t9 bash\n{"command":"sh open.sh 4"}\n[t9 ok, 4.1k chars]')],
    [{ id: "t9" }],
  ],
  [
    "the turns that fit best first",
    "sh tools/open.sh 4",
    [
      user(
        "[turns 1 to 3 are not shown; activate chat with from and to reads their lines]\n~~~\n1. Open with tools/open.sh 5\n2. Open with `sh tools/open.sh 4`\n3. Hello\n~~~",
      ),
    ],
    [
      { id: "chat", turn: 2 },
      { id: "chat", turn: 1 },
    ],
  ],
  [
    "a long text of the user",
    "the log of the night",
    [
      user(
        "This is the log of the night:\n[16595 characters not shown; activate u1 shows all, or lines from and to]\nend",
      ),
    ],
    [{ id: "u1" }],
  ],
])("a request names %s", (_, source, messages, targets) => {
  expect(namedTargets(source, messages)).toEqual(targets);
});

describe("a request does not name", () => {
  it("an object whose content it shows", () => {
    expect(namedTargets("src/a.ts", [user("f1 src/a.ts v1\n~~~\ncontent\n~~~")])).toEqual([]);
  });

  it("the result of another call", () => {
    const messages = called({ command: "npm run lint" }, "[t3 ok, 4.1k chars]");

    expect(namedTargets("npm test", messages)).toEqual([]);
  });

  it("a command that continues the words of the source", () => {
    const messages = called({ command: "sh open.sh 48" }, "[t3 ok, 4.1k chars]");

    expect(namedTargets("sh open.sh 4", messages)).toEqual([]);
  });

  it("anything in a path that looks like a handle", () => {
    expect(namedTargets("a.ts", [user("See lib/f1/a.ts.")])).toEqual([]);
  });
});

describe("the answer of a search", () => {
  it("has the objects in its order, and of chats the lines", () => {
    const answer =
      "- f1 notes/limits.md 139, line 3 #Limits: The rate\n- chat 12 turns, line 40: rate";

    expect(foundTargets(answer)).toEqual([{ id: "f1" }, { id: "chat", from: 38, to: 60 }]);
  });

  it("has no line that the search found of itself", () => {
    const answer =
      '- chat chat 4 turns, line 7: --- toolcall [ref:toolcall/x] tool=find_objects args="rate"';

    expect(foundTargets(answer)).toEqual([]);
  });

  it("can have none", () => {
    expect(foundTargets("No object was found among what agents have written.")).toEqual([]);
  });
});
