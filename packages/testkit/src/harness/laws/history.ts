import assert from "node:assert/strict";

import type { HarnessScenario, OpenHost } from "../harness-host.ts";
import type { ModelRequest } from "../model-request.ts";
import { handleOf, last, pairingFaults, saidBy, shownWords } from "../request-checks.ts";
import { red } from "../samples.ts";
import { crowd, endEpoch } from "../leaving.ts";
import { contextCall, openStage, showing } from "../stage.ts";

export const resumeIsIdentical: HarnessScenario = async (openHost) => {
  const [live, resumed] = await Promise.all([
    longSession(openHost, false),
    longSession(openHost, true),
  ]);

  assert.deepEqual(resumed, live);
};

async function longSession(
  openHost: OpenHost,
  restarts: boolean,
): Promise<readonly ModelRequest[]> {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  await say(
    "look",
    [
      // One tool call at a time: the order in which a host ends two parallel tool calls can differ between the runs.
      { read_a: host.calls.read("a.txt") },
      { show_b: host.calls.show("b.txt") },
      (request) => ({
        off_a: contextCall("deactivate", "a.txt"),
        pin_b: contextCall("pin", handleOf(request, "show_b")),
      }),
      { fail_c: host.calls.fail("c.txt") },
      { picture: host.calls.picture("p.png") },
    ],
    [red],
  );
  if (restarts) await host.restart();
  await say("go on", [...showing(host, ["d", "e"]), { on_a: contextCall("activate", "a.txt") }]);
  if (restarts) await host.restart();
  await say("go on");
  return [...host.requests];
}

export const branchIsFollowed: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  const said = ["look", "a wrong turn", "another turn"];

  await say("look", showing(host, ["a"]));
  const wrong = await say("a wrong turn", showing(host, ["b"]));
  await host.goBack(1);
  const right = await say("another turn", showing(host, ["c"]));

  assert.deepEqual(shownWords(last(wrong), ["a", "b", "c"]), ["a", "b"]);
  for (const request of right) {
    assert.deepEqual(saidBy(request, said), ["look", "another turn"]);
    assert.deepEqual(pairingFaults(request), []);
  }
  assert.deepEqual(
    right.map((request) => shownWords(request, ["a", "b", "c"]).join("")),
    ["a", "ac"],
  );
};

export const beginningIsFollowed: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  const said = ["look", "go on", "from the start", "and now"];

  await say("look", showing(host, ["a"]));
  await say("go on", showing(host, ["b"]));
  await host.goBack(0);
  const first = await say("from the start", showing(host, ["c"]));
  const second = await say("and now");

  const why =
    "after the user went back to the beginning: does the adapter call `wentBack()`, or pass `rewound` with the next list?";
  for (const request of [...first, ...second])
    assert.deepEqual(shownWords(request, ["a", "b"]), [], why);
  assert.deepEqual(
    [last(first), last(second)].map((request) => saidBy(request, said)),
    [["from the start"], ["from the start", "and now"]],
    why,
  );
  assert.deepEqual(shownWords(last(second), ["c"]), ["c"], "results after the new beginning");
};

export const resentMessagesAreKnown: HarnessScenario = async (openHost) => {
  const run = async (changes: boolean): Promise<readonly ModelRequest[]> => {
    await using stage = await openStage(openHost);
    const { host, say } = stage;
    await say("look", [{ read_a: host.calls.read("a.txt") }, ...showing(host, ["b"])]);
    if (changes) await host.changeUsage();
    await say("go on", showing(host, ["c"]));
    await host.restart();
    if (changes) await host.changeUsage();
    await say("and now");
    return [...host.requests];
  };
  const [changed, plain] = await Promise.all([run(true), run(false)]);

  assert.deepEqual(
    changed,
    plain,
    "requests after usage or cache marks of earlier messages changed: is one of them a part of the codec's `key` or `fingerprint`?",
  );
};

export const forkKeepsContents: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  const names = ["a", "b", "c", "d", "e"] as const;

  const original = await say("look", [
    { read_a: host.calls.read("a.txt"), show_b: host.calls.show("b.txt") },
    { fail_c: host.calls.fail("c.txt"), show_d: host.calls.show("d.txt") },
    { show_e: host.calls.show("e.txt") },
    (request) => ({
      off_c: contextCall("deactivate", handleOf(request, "fail_c")),
      pin_b: contextCall("pin", handleOf(request, "show_b")),
      off_d: contextCall("deactivate", handleOf(request, "show_d")),
      pin_e: contextCall("pin", handleOf(request, "show_e")),
    }),
    (request) => ({
      on_d: contextCall("activate", handleOf(request, "show_d")),
      unpin_e: contextCall("unpin", handleOf(request, "show_e")),
    }),
  ]);
  await host.fork();
  const fork = last(await say("go on"));
  await endEpoch(stage);
  await host.fork();
  const forkOfFork = last(await say("and on"));
  await say("look around", [crowd(host)]);
  await say("look again", [crowd(host)]);
  for (const text of ["one", "two", "three"]) await say(text);
  await endEpoch(stage);
  const later = last(await say("later"));

  assert.deepEqual(shownWords(last(original.slice(0, 4)), names), ["a", "b", "c", "d", "e"]);
  for (const request of [fork, forkOfFork]) {
    assert.deepEqual(shownWords(request, names).toSorted(), ["a", "b", "d", "e"], lostEffect);
    assert.deepEqual(pairingFaults(request), []);
  }
  assert.deepEqual(shownWords(later, ["b", "d", "e"]), ["b"], lostEffect);
  assert.deepEqual(saidBy(forkOfFork, ["look", "go on", "and on"]), ["look", "go on", "and on"]);
};

const lostEffect =
  "contents in a fork: does the host's record of each result of a context tool have `answerDetails`?";

export const compactionKeepsTheView: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost, { compactsEagerly: true });
  const { host, say } = stage;
  const said = ["one", "two", "three"];

  await say("one", [{ read_a: host.calls.read("a.txt"), show_b: host.calls.show("b.txt") }]);
  await say("two", showing(host, ["c"]));
  const before = last(host.requests);
  const after = last(await say("three"));

  assert.ok((await host.compactions()) > 0, "the host has shortened its list");
  assert.deepEqual(saidBy(after, said), said);
  assert.deepEqual(shownWords(after, ["a", "b", "c"]), ["a", "b", "c"]);
  assert.deepEqual(pairingFaults(after), []);
  const added = after.messages.filter(({ bytes }) =>
    before.messages.every((one) => one.bytes !== bytes),
  );
  assert.deepEqual(
    added.map(({ text }) => text),
    ["answer 2", "three"],
    "no other message was added",
  );
};

export const archivedIsNamed: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  const said = ["look", "go on", "and now", "and again", "another way"];

  await say("look", [
    { read_a: host.calls.read("a.txt"), show_b: host.calls.show("b.txt") },
    (request) => ({ pin_b: contextCall("pin", handleOf(request, "show_b")) }),
  ]);
  await say("go on");
  await host.archive();
  const begun = await say("and now", showing(host, ["c"]));
  await host.restart();
  const again = await say("and again", [
    { open: { name: "activate", arguments: { id: "c1", turn: 1 } } },
  ]);
  await host.goBack(1);
  const back = last(await say("another way"));

  for (const request of [...begun, ...again]) {
    const lines = request.messages.filter(({ text }) => text.includes(archivedLine));
    assert.equal(lines.length, 1, "a line names the archived chat");
    assert.deepEqual(shownWords(request, ["a", "b"]), ["b"], "contents of archived turns");
    assert.deepEqual(pairingFaults(request), []);
  }
  assert.deepEqual(saidBy(last(begun), said), ["and now"]);
  assert.deepEqual(saidBy(last(again), said), ["and now", "and again"]);
  const opened = last(again).messages.filter(({ text }) => text.includes("--- user\nlook"));
  assert.equal(opened.length, 1, "a turn of the archived chat is opened");
  assert.deepEqual(saidBy(back, said), ["look", "another way"]);
  assert.ok(!back.messages.some(({ text }) => text.includes(archivedLine)), "the archive ended");
};

/** The beginning of the line with which a chat begins after an archive of two turns. */
const archivedLine = "[an earlier chat is archived as c1, 2 turns; ";
