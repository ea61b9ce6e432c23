import assert from "node:assert/strict";

import type { HarnessScenario, OtherExtension } from "../harness-host.ts";
import { endEpoch } from "../leaving.ts";
import type { ModelRequest } from "../model-request.ts";
import { handleOf, last, saidBy, shownWords } from "../request-checks.ts";
import { contextCall, openStage, showing, wordsOf } from "../stage.ts";

/** The number of parallel calls in a batch. No policy keeps so many objects active. */
const batchSize = 60;

/** The text that replaces the words of a sample file. */
const mask = "[masked]";

export const resultsAreAsGiven: HarnessScenario = async (openHost) => {
  const other: OtherExtension = {
    resultText: (text) => text.replaceAll(wordsOf("a"), mask).replaceAll(wordsOf("b"), mask),
  };
  await using stage = await openStage(openHost, { other });
  const { host, say } = stage;
  const { calls } = host;

  const looked = await say("look", [
    { read_a: calls.read("a.txt"), show_b: calls.show("b.txt"), read_c: calls.read("c.txt") },
  ]);
  await host.writeFile("a.txt", `${wordsOf("a")}\n${wordsOf("d")}\n`);
  const later = await say("and now", [
    (request) => ({ off_a: contextCall("deactivate", handleOf(request, "read_a")) }),
    ...showing(host, ["e"]),
  ]);
  await endEpoch(stage);
  await host.restart();
  const back = await say("back", [
    (request) => ({ on_a: contextCall("activate", handleOf(request, "read_a")) }),
  ]);
  const many = await say("many", [
    Object.fromEntries(
      Array.from({ length: batchSize }, (_, index) => [`many_${index}`, calls.show("e.txt")]),
    ),
  ]);

  for (const request of host.requests)
    assert.deepEqual(shownWords(request, ["a", "b", "d"]), [], "words that were replaced");
  for (const request of [last(looked), last(later)]) assert.ok(masksIn(request) > 0, "the mask");
  assert.equal(masksIn(last(looked)), 2, "both results as given");
  assert.equal(masksIn(last(back)), 2, "the activated result as given");
  assert.deepEqual(shownWords(last(looked), ["c"]), ["c"], "a result that is the file's text");
  const shown = last(many).messages.flatMap(({ text }) => text.split(wordsOf("e")).slice(1));
  assert.ok(shown.length >= batchSize, "every result of a large batch");
};

function masksIn({ messages }: ModelRequest): number {
  return messages.flatMap(({ text }) => text.split(mask).slice(1)).length;
}

export const requestChangesAreFollowed: HarnessScenario = async (openHost) => {
  let requests = 0;
  let appended = 0;
  let leftOut = "";
  const other: OtherExtension = {
    leavesOut: (text) => text === leftOut,
    adds: () => `reminder ${(requests += 1)}`,
    appends: () => `\n<mode>mode ${(appended += 1)}</mode>`,
  };
  await using stage = await openStage(openHost, { other });
  const { host, say } = stage;
  const said = ["first words", "other words", "last words"];

  await say("first words", showing(host, ["a"]));
  leftOut = "first words";
  const without = await say("other words", showing(host, ["b"]));
  await host.restart();
  const resumed = await say("last words", showing(host, ["c"]));
  leftOut = "";
  const whole = await say("again", showing(host, ["d"]));

  assert.deepEqual(
    host.requests.map(({ messages }) =>
      messages.map(({ text }) => text).filter((text) => text.startsWith("reminder ")),
    ),
    host.requests.map((_, index) => [`reminder ${index + 1}`]),
    "each reminder in its own request",
  );
  assert.deepEqual(
    host.requests.map(({ messages }) =>
      messages.flatMap(({ text }) => text.match(/(?<=<mode>)mode \d+(?=<)/gu) ?? []),
    ),
    host.requests.map((_, index) => [`mode ${index + 1}`]),
    "each text that is appended to a message in its own request",
  );
  for (const request of without) assert.deepEqual(saidBy(request, said), ["other words"]);
  for (const request of resumed)
    assert.deepEqual(saidBy(request, said), ["other words", "last words"]);
  // What a view has left out comes back at the latest when an epoch ends.
  for (const request of whole)
    assert.deepEqual(saidBy(request, said).slice(-2), ["other words", "last words"]);
};
