import assert from "node:assert/strict";

import type { HarnessScenario, OpenHost } from "../harness-host.ts";
import { handleOf, last, pairingFaults, saidBy, shownWords } from "../request-checks.ts";
import { contextCall, messageTokens, openStage, showing, type Stage, tokensOf } from "../stage.ts";

/** The share of the host's own messages, and the tokens, by which a managed request can be larger. */
const share = 0.03;
const extra = 200;

/** The greatest number of tokens that report the change of a file. */
const reported = 400;

export const noMoreThanTheHost: HarnessScenario = async (openHost) => {
  const [ranges = [], plainRanges = []] = await sizesOf(openHost, async ({ host, say }) => {
    await host.writeFile("wide.txt", lines(1, 5_000));
    await say(
      "read some lines",
      [10, 2_500, 4_900].map((offset) => ({
        [`read_${offset}`]: host.calls.read("wide.txt", { offset, limit: 10 }),
      })),
    );
  });
  for (const [index, tokens] of ranges.entries())
    assertNoMore(tokens, plainRanges[index] ?? 0, `request ${index} with ranges of a file`);

  const [growing = [], plainGrowing = []] = await sizesOf(openHost, async ({ host, say }) => {
    await host.writeFile("log.txt", lines(1, 50));
    await say("read the log", [{ read_log: host.calls.read("log.txt") }]);
    for (let turn = 1; turn <= 5; turn += 1) {
      await host.writeFile("log.txt", lines(1, 50 + turn * 500));
      await say(`turn ${turn}`);
    }
  });
  for (const [index, tokens] of growing.entries())
    assertNoMore(
      tokens - reported,
      plainGrowing[index] ?? 0,
      `request ${index} with a growing file`,
    );
};

/** Returns the tokens of the messages of all requests, with the adapter and without it. */
async function sizesOf(
  openHost: OpenHost,
  run: (stage: Stage) => Promise<void>,
): Promise<readonly (readonly number[])[]> {
  return await Promise.all(
    (["managed", "absent"] as const).map(async (adapter) => {
      await using stage = await openStage(openHost, { adapter });
      await run(stage);
      return stage.host.requests.map(messageTokens);
    }),
  );
}

function lines(from: number, to: number): string {
  return Array.from(
    { length: to - from + 1 },
    (_, index) => `line ${from + index} of a file\n`,
  ).join("");
}

function assertNoMore(tokens: number, plain: number, what: string): void {
  const most = Math.ceil(plain * (1 + share)) + extra;
  assert.ok(tokens <= most, `${what} has ${tokens} tokens; the host alone sends ${plain}`);
}

export const refusalLowersTheBudget: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say, refused } = stage;
  const said = ["look", "too much", "and now", "later"];

  const full = last(
    await say("look", [
      { read_long: host.calls.read("long.txt") },
      { read_a: host.calls.read("a.txt") },
    ]),
  );
  // Two thirds of the messages fit beside the instruction. This provider does not limit the tools, and the view leaves room
  // for them.
  stage.limitTo(tokensOf(full) - Math.floor(messageTokens(full) / 3));
  await stage.tryToSay("too much");
  const before = refused.length;
  assert.ok(before > 0, "the provider refused a request");
  await say("and now", showing(host, ["b"]));
  await host.restart();
  const later = last(await say("later", showing(host, ["c"])));

  assert.equal(refused.length, before, "a request after the refusal was refused");
  assert.deepEqual(saidBy(later, said), said);
  assert.deepEqual(shownWords(later, ["b", "c"]), ["b", "c"], "the newest results");
  assert.deepEqual(pairingFaults(later), []);
};

export const compactionByTheUserFrees: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  const { calls } = host;

  await say("look", [
    { read_a: calls.read("a.txt"), show_b: calls.show("b.txt"), show_c: calls.show("c.txt") },
    (request) => ({ pin_b: contextCall("pin", handleOf(request, "show_b")) }),
  ]);
  await say("go on");
  await host.compact();
  const after = last(await say("and now"));
  await host.restart();
  const back = last(await say("back", [{ on_a: contextCall("activate", "a.txt") }]));

  assert.deepEqual(shownWords(after, ["a", "b", "c"]), ["b"], "contents of replaced messages");
  assert.deepEqual(saidBy(after, ["look", "and now"]), ["and now"]);
  assert.deepEqual(pairingFaults(after), []);
  assert.deepEqual(shownWords(back, ["a", "b", "c"]).toSorted(), ["a", "b"]);
};
