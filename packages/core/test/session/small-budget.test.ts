import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

/** A call by which the model asks for lines of a file: the host's `read`, or `activate` for lines that were read. */
interface Asked {
  readonly tool: "read" | "activate";
  readonly file: string;
  readonly from: number;
  readonly count: number;
}

const fileNames = ["a", "b", "c"];
const lineCount = 2_500;

const calls: fc.Arbitrary<readonly Asked[]> = fc.array(
  fc.record({
    tool: fc.constantFrom("read", "read", "activate"),
    file: fc.constantFrom(...fileNames),
    from: fc.integer({ min: 1, max: lineCount }),
    count: fc.constantFrom(20, 200, 400, 1_000, lineCount),
  }),
  { minLength: 1, maxLength: 6 },
);

function linesOf(file: string, from: number, count: number): string {
  const to = Math.min(lineCount, from + count - 1);
  return Array.from(
    { length: to - from + 1 },
    (_, index) => `file ${file} line ${from + index} lorem ipsum lorem\n`,
  ).join("");
}

/** Makes the calls, and returns for each the share of its lines that the next view shows. */
async function sharesShown(
  script: readonly Asked[],
  contextWindow: number,
): Promise<readonly number[]> {
  const { session } = await openTestSession({
    files: Object.fromEntries(
      fileNames.map((file) => [`/work/${file}.txt`, linesOf(file, 1, lineCount)]),
    ),
    layout: epochLayout(),
    policy: recentlyUsedPolicy(),
    activateUnread: "ask",
  });
  const history = scriptHistory();
  history.user("go on");
  const shares: number[] = [];
  const known = new Set<string>();
  for (const { tool, file, from, count } of script) {
    const path = `${file}.txt`;
    const rows = linesOf(file, from, count).trimEnd().split("\n");
    if (tool === "read") {
      const args = { path, offset: from, limit: count };
      const callId = history.call("read", args, `${rows.join("\n")}\n`);
      await session.recordRead(path, { callId });
      for (const row of rows) known.add(row);
    } else {
      const range = { from, to: from + rows.length - 1 };
      await history.ask(
        "activate",
        { id: path, ...range },
        async (callId) => await session.activate(path, range, { callId }),
      );
    }
    await history.ingest(session);
    const { messages } = await session.nextView({ contextWindow });
    const shown = new Set(messages.flatMap((message) => textOfMessage(message).split("\n")));
    const asked = rows.filter((row) => known.has(row));
    const there = asked.filter((row) => shown.has(row));
    shares.push(asked.length === 0 ? 1 : there.length / asked.length);
  }
  return shares;
}

describe("the lines that the model asked for last", () => {
  it("are shown on a small budget, as far as they fit", async () => {
    const shownAsFarAsTheyFit = fc.asyncProperty(
      calls,
      fc.constantFrom(8_192, 16_384, 32_768),
      async (script, window) => {
        const shares = await sharesShown(script, window);
        return script.every(({ count }, index) => {
          const tokens = count * 10;
          const least = tokens < window * 0.4 ? 1 : Math.min(1, (window * 0.2) / tokens);
          return (shares[index] ?? 0) >= least;
        });
      },
    );

    await expect(
      fc.assert(shownAsFarAsTheyFit, { numRuns: propertyRuns(100) }),
    ).resolves.toBeUndefined();
  });
});
