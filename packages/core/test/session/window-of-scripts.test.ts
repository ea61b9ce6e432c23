import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { triesEveryCase } from "../../../../tools/property-runs.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { Layout, ViewMessage } from "../../src/view/layout.ts";
import { madeText } from "../cost/made-texts.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";

const contextWindow = 32_000;

/** A view can exceed the window by 5 %, because an estimate is never exact. */
const most = contextWindow * 1.05;

const layouts: readonly Layout[] = [epochLayout(), pooledLayout];

const counts = new Map<string, number>();

/** Returns the tokens of a text by o200k. The same text is counted once. */
function counted(text: string): number {
  const known = counts.get(text) ?? encode(text).length;
  counts.set(text, known);
  return known;
}

function tokensOf(messages: readonly ViewMessage[]): number {
  let sum = 0;
  for (const message of messages) {
    sum += 4;
    const content = message.role === "opaque" ? JSON.stringify(message.raw) : message.content;
    if (typeof content === "string") sum += counted(content);
    else
      for (const block of content)
        sum += counted(typeof block["text"] === "string" ? block["text"] : JSON.stringify(block));
  }
  return sum;
}

/** What a session's calls bring: pastes of the user, or outputs of a tool that are shown whole. */
type Arrival = "paste" | "output";

/** Returns the o200k tokens of each view of a session that gets these texts, one in each call. */
async function played(
  layout: Layout,
  arrival: Arrival,
  arriving: readonly string[],
  isReported: boolean,
): Promise<readonly number[]> {
  const { session } = await openTestSession({ layout });
  const history = scriptHistory();
  const sizes: number[] = [];
  history.user("Read all of them.");
  for (const text of arriving) {
    if (arrival === "paste") history.user(text);
    else history.call("read_page", {}, text);
    await history.ingest(session);
    const { messages } = await session.nextView({ contextWindow, reserve: 0 });
    const tokens = tokensOf(messages);
    sizes.push(tokens);
    history.say("Done.", isReported ? { usage: { input: tokens } } : {});
    await history.ingest(session);
  }
  return sizes;
}

/** One text of each form in which scripts differ. */
const all = [
  "English",
  "Polish",
  "Russian",
  "Arabic",
  "Hindi",
  "Tamil",
  "Thai",
  "Burmese",
  "Tibetan",
  "Amharic",
  "Chinese",
  "Japanese",
  "Korean",
  "base64",
  "hex",
  "ANSI colours",
  "minified code",
  "emojis",
  "combining marks",
  "private use",
  "rare Han",
  "Han of any frequency",
  "letters of Thai",
  "syllables of Korean",
];

/** Those whose tokens differ most from those of English. A long run has all, and so has a run after a change of core. */
const fewer = ["English", "Amharic", "emojis", "rare Han"];
const texts = triesEveryCase() ? all : fewer;

const before = ["English", "Russian", "base64"];

describe("a view", () => {
  it.each(texts)("exceeds the window by at most a twentieth if all texts are %s", async (name) => {
    const arriving = Array.from({ length: 10 }, (_, index) => madeText(name, 9_000, index + 1));

    for (const [index, layout] of layouts.entries()) {
      const arrival = (texts.indexOf(name) + index) % 2 === 0 ? "paste" : "output";
      const sizes = await played(layout, arrival, arriving, false);

      expect([layout.name, arrival, sizes.filter((size) => size > most)]).toEqual([
        layout.name,
        arrival,
        [],
      ]);
    }
  });

  it.each(texts)("exceeds the window by at most a twentieth after a change to %s", async (name) => {
    const first = before[texts.indexOf(name) % before.length] ?? "English";
    const arriving = Array.from({ length: 16 }, (_, call) =>
      madeText(call < 8 ? first : name, 6_000, call + 1),
    );

    const sizes = await played(epochLayout(), "paste", arriving, true);

    expect([first, sizes.filter((size) => size > most)]).toEqual([first, []]);
  });
});
