import type { Message } from "@self-context-manager/core";
import { describe, expect, it } from "vitest";

import { openTestSession, plainCodec } from "../src/session/test-session.ts";
import { textOfMessage, viewParts } from "../src/session/view-parts.ts";

const prompt = (content: string, timestamp: number): Message => ({
  role: "user",
  content,
  timestamp,
});

const answer = (text: string, timestamp: number): Message => ({
  role: "assistant",
  content: [{ type: "text", text }],
  meta: { stopReason: "stop" },
  timestamp,
});

const first = [prompt("one", 1), answer("answer one", 2)];
const other = [prompt("other", 10), answer("answer other", 11)];
const summary: Message = {
  role: "summary",
  kind: "summary",
  raw: "ours",
  ours: true,
  timestamp: 20,
};

/** Two branches that share nothing, with the user on the second. */
async function openBranches(): Promise<Awaited<ReturnType<typeof openTestSession>>> {
  const opened = await openTestSession();
  await opened.session.ingest(first, plainCodec);
  await opened.session.ingest(other, plainCodec, { rewound: true });
  return opened;
}

describe("branches of which no message is shared (D52)", () => {
  it("are found behind a summary that the adapter wrote", async () => {
    for (const isResumed of [false, true]) {
      const opened = await openBranches();
      const { session } = opened;
      await session.ingest([summary, ...other], plainCodec);
      await session.ingest([...first, prompt("two", 30)], plainCodec, { rewound: true });
      const going = isResumed ? await opened.reopen() : session;

      const back = [summary, ...other, prompt("three", 40)];
      const report = await going.ingest(back, plainCodec, { rewound: true });

      expect(report.type).toBe("rewound");
      expect((await viewParts(going)).chat.map(textOfMessage)).toEqual([
        "other",
        "answer other",
        "three",
      ]);
    }
  });

  it("are found from a list that had lost its beginning", async () => {
    const { session } = await openBranches();
    await session.ingest([...other.slice(1), prompt("further", 20)], plainCodec);

    await session.ingest([...first, prompt("two", 30)], plainCodec, { rewound: true });

    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      "one",
      "answer one",
      "two",
    ]);
  });
});
