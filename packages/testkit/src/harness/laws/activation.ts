import { canonicalJson } from "@self-context-manager/objects";
import assert from "node:assert/strict";

import type { HarnessScenario } from "../harness-host.ts";
import type { ModelRequest } from "../model-request.ts";
import { handleOf, hasFailed, last, shownWords } from "../request-checks.ts";
import { crowd, endEpoch } from "../leaving.ts";
import { contextCall, openStage, showing, textNames } from "../stage.ts";

export const deactivatedIsGone: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  const requests = await stage.say("look", [
    { read_a: calls.read("a.txt"), show_b: calls.show("b.txt"), show_c: calls.show("c.txt") },
    (request) => ({
      off_a: contextCall("deactivate", "a.txt"),
      off_b: contextCall("deactivate", handleOf(request, "show_b")),
    }),
  ]);
  await endEpoch(stage);
  const later = await stage.say("and now", showing(stage.host, ["d"]));
  await stage.host.restart();
  const resumed = await stage.say("and now", showing(stage.host, ["e"]));

  assert.deepEqual(shownWords(requests[1] ?? last([]), textNames), ["a", "b", "c"]);
  assert.deepEqual(
    [...later, ...resumed].map((one) => shownWords(one, textNames).join("")),
    ["c", "cd", "cd", "cde"],
  );
  assert.equal(hasFailed(last(resumed), "off_a"), false);
};

export const pinnedStays: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  const requests = await stage.say("look", [
    { show_a: calls.show("a.txt"), show_b: calls.show("b.txt") },
    (request) => ({ pin_a: contextCall("pin", handleOf(request, "show_a")) }),
    ...showing(stage.host, ["c", "d", "e", "f", "g"]),
  ]);
  await stage.say("look around", [crowd(stage.host)]);
  for (const text of ["one", "two", "three"]) await stage.say(text);
  await endEpoch(stage);
  const later = last(stage.host.requests);
  await stage.host.restart();
  const resumed = await stage.say("look around again", [crowd(stage.host)]);
  await endEpoch(stage);
  const end = last(await stage.say("four"));

  const left = stage.host.settings === "defaults" ? ["b"] : [];
  const all = ["a", ...left, "c", "d", "e", "f", "g"];
  assert.deepEqual(shownWords(last(requests), textNames), all);
  assert.deepEqual(shownWords(later, textNames), ["a"], "many calls later");
  assert.deepEqual(shownWords(last(resumed), textNames), ["a"], "after a resume");
  assert.deepEqual(shownWords(end, textNames), ["a"], "many calls after a resume");
};

export const activateBringsBack: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  await stage.say("look", [
    { show_a: calls.show("a.txt"), read_b: calls.read("b.txt") },
    { off_b: contextCall("deactivate", "b.txt") },
    crowd(stage.host),
  ]);
  await endEpoch(stage);
  const requests = await stage.say("look again", [
    (request) => {
      assert.deepEqual(shownWords(request, ["a", "b"]), [], "both contents have left the view");
      return {
        on_a: contextCall("activate", handleOf(request, "show_a")),
        on_b: contextCall("activate", "b.txt"),
        on_x: contextCall("activate", "f999"),
      };
    },
  ]);

  const request = last(requests);
  assert.deepEqual(shownWords(request, ["a", "b"]), ["a", "b"]);
  assert.deepEqual(
    ["on_a", "on_b", "on_x"].map((callId) => hasFailed(request, callId)),
    [false, false, true],
  );
};

export const openedIsAsItWas: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  const shown = last(
    await stage.say("the first question", [
      { show_a: calls.show("a.txt") },
      { read_b: calls.read("b.txt"), show_c: calls.show("c.txt") },
    ]),
  );
  await stage.say("look around", [crowd(stage.host)]);
  await endEpoch(stage);
  const opened = last(
    await stage.say("what was first", [
      { open: { name: "activate", arguments: { id: "chat", turn: 1 } } },
      { open_x: { name: "activate", arguments: { id: "chat", turn: 999 } } },
    ]),
  );
  await stage.say("close it", [{ off: contextCall("deactivate", "chat") }]);
  await endEpoch(stage);
  const later = last(stage.host.requests);

  const text = textOf(opened);
  assert.ok(text.includes(question), `the turn has the user's words: ${text}`);
  for (const { name, arguments: given } of shown.messages.flatMap((one) => one.toolCalls))
    assert.ok(text.includes(`${name}\n${canonicalJson(given)}`), `${name} is in ${text}`);
  assert.ok(/ has \d+ turns; give turn from 1 /u.test(text), "an unknown turn is refused");
  assert.ok(!textOf(later).includes(question), "the turn that was closed has left the view");
};

/** The user's words in a turn that was opened. */
const question = "--- user\nthe first question";

function textOf({ messages }: ModelRequest): string {
  return messages.map(({ text }) => text).join("\n");
}
