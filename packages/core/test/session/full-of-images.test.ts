import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { triesEveryCase } from "../../../../tools/property-runs.ts";
import type { Block } from "../../src/chat/message.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

/** Returns a different image of 1,500 tokens for each number: a PNG file as far as its size. */
function picture(number: number): Block {
  const bytes = Buffer.alloc(60);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(bytes);
  bytes.writeUInt32BE(1_092, 16);
  bytes.writeUInt32BE(1_030, 20);
  bytes.writeUInt32BE(number, 40);
  return { type: "image", data: bytes.toString("base64"), mimeType: "image/png" };
}

/** What a session looked like over its calls. */
interface Played {
  /** The share of the calls whose messages begin with all messages of the call before. */
  readonly hits: number;
  readonly endsByBudget: number;
  /** The calls in which a note on missing messages is behind the newest message of the user. */
  readonly noteLast: number;
  readonly withoutAnswers: number;
  /** The calls in which the newest message of the user lacks its image. */
  readonly withoutPicture: number;
}

/** Plays a session in which the user sends one message for each call. */
async function play(
  calls: number,
  contextWindow: number,
  said: (call: number) => string | readonly Block[],
): Promise<Played> {
  const { session } = await openTestSession({
    layout: epochLayout(),
    policy: recentlyUsedPolicy(),
  });
  const history = scriptHistory();
  let before: readonly string[] = [];
  let hits = 0;
  const found = { endsByBudget: 0, noteLast: 0, withoutAnswers: 0, withoutPicture: 0 };
  for (let call = 0; call < calls; call += 1) {
    const content = said(call);
    history.user(content);
    await history.ingest(session);
    const { messages, epoch } = await session.nextView({ contextWindow });
    const sent = messages.map((message) => JSON.stringify(message));
    if (before.every((one, index) => one === sent[index])) hits += 1;
    before = sent;
    if (epoch?.isNew === true && epoch.endedBy === "budget") found.endsByBudget += 1;
    const asked = messages.findLastIndex((message) =>
      textOfMessage(message).startsWith(`message ${call} `),
    );
    const isNote = (message: (typeof messages)[number]): boolean =>
      textOfMessage(message).includes("messages are not shown");
    if (messages.slice(asked).some(isNote)) found.noteLast += 1;
    if (call > 1 && !messages.some(({ role }) => role === "assistant")) found.withoutAnswers += 1;
    const last = typeof content === "string" ? undefined : JSON.stringify(content.at(-1));
    if (last !== undefined && sent[asked]?.includes(last) !== true) found.withoutPicture += 1;
    history.say(`answer ${call} ${"I see. ".repeat(20)}`);
  }
  return { hits: hits / calls, ...found };
}

const image = (call: number): readonly Block[] => [
  { type: "text", text: `message ${call} ` },
  picture(call),
];

const text = (call: number): string => `message ${call} ${"some more words of it ".repeat(300)}`;

/** The calls, the window, the most ends of an epoch, and the least share of calls that continue the call before. */
const small = [60, 32_000, 6, 0.85] as const;
const large = [240, 200_000, 4, 0.95] as const;

describe("a session whose user sends an image of 1,500 tokens with each message", () => {
  it.each(triesEveryCase() ? [small, large] : [small])(
    "of %i calls hardly ends an epoch in a window of %i tokens",
    async (calls, contextWindow, mostEnds, leastHits) => {
      const { hits, endsByBudget, ...others } = await play(calls, contextWindow, image);

      expect(endsByBudget).toBeLessThanOrEqual(mostEnds);
      expect(hits).toBeGreaterThan(leastHits);
      expect(others).toEqual({ noteLast: 0, withoutAnswers: 0, withoutPicture: 0 });
    },
  );
});

describe("a session whose user sends a text of 1,500 tokens with each message", () => {
  it("ends an epoch by the budget only after several calls", async () => {
    const { hits, ...others } = await play(60, 32_000, text);

    expect(hits).toBeGreaterThan(0.75);
    expect(others).toMatchObject({ noteLast: 0, withoutAnswers: 0 });
  });
});
