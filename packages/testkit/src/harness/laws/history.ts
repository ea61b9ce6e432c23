import assert from "node:assert/strict";

import type { HarnessScenario, OpenHost } from "../harness-host.ts";
import type { ModelRequest } from "../model-request.ts";
import { handleOf, last, pairingFaults, saidBy, shownWords } from "../request-checks.ts";
import { red } from "../samples.ts";
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

export const forkKeepsContents: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  const names = ["a", "b", "c", "d"] as const;

  const original = await say("look", [
    { read_a: host.calls.read("a.txt"), show_b: host.calls.show("b.txt") },
    { fail_c: host.calls.fail("c.txt"), read_d: host.calls.read("d.txt") },
    (request) => ({ off_c: contextCall("deactivate", handleOf(request, "fail_c")) }),
  ]);
  await host.fork();
  const fork = last(await say("go on"));
  await host.fork();
  const forkOfFork = last(await say("and on"));

  assert.deepEqual(shownWords(last(original.slice(0, 3)), names), ["a", "b", "c", "d"]);
  for (const request of [fork, forkOfFork]) {
    assert.deepEqual(shownWords(request, names), ["a", "b", "d"]);
    assert.deepEqual(pairingFaults(request), []);
  }
  assert.deepEqual(saidBy(forkOfFork, ["look", "go on", "and on"]), ["look", "go on", "and on"]);
};

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
