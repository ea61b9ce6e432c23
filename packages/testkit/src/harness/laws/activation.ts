import assert from "node:assert/strict";

import type { HarnessScenario } from "../harness-host.ts";
import { handleOf, hasFailed, last, shownWords } from "../request-checks.ts";
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
  const later = await stage.say("and now", showing(stage.host, ["d"]));
  await stage.host.restart();
  const resumed = await stage.say("and now", showing(stage.host, ["e"]));

  assert.deepEqual(shownWords(requests[1] ?? last([]), textNames), ["a", "b", "c"]);
  assert.deepEqual(
    [...requests.slice(2), ...later, ...resumed].map((one) => shownWords(one, textNames).join("")),
    ["c", "c", "cd", "cd", "cde"],
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
  for (const text of ["one", "two", "three"]) await stage.say(text);
  const later = last(stage.host.requests);
  await stage.host.restart();
  const resumed = await stage.say("four");

  assert.deepEqual(shownWords(last(requests), textNames), ["a", "c", "d", "e", "f", "g"]);
  assert.deepEqual(shownWords(later, textNames), ["a"], "three turns later");
  assert.deepEqual(shownWords(last(resumed), textNames), ["a"], "after a resume");
};

export const activateBringsBack: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  const requests = await stage.say("look", [
    { show_a: calls.show("a.txt"), read_b: calls.read("b.txt") },
    { off_b: contextCall("deactivate", "b.txt") },
    ...showing(stage.host, ["c", "d", "e", "f", "g"]),
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
