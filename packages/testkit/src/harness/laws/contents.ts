import assert from "node:assert/strict";

import type { HarnessScenario } from "../harness-host.ts";
import type { ModelRequest } from "../model-request.ts";
import {
  handleOf,
  hasFailed,
  imagesIn,
  last,
  resultOf,
  saidBy,
  shownWords,
} from "../request-checks.ts";
import { blue, red } from "../samples.ts";
import { endEpoch } from "../leaving.ts";
import { contextCall, openStage, showing, textNames, wordsOf } from "../stage.ts";

export const resultsAreReferences: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  await stage.say("look", [
    { read_a: calls.read("a.txt"), show_b: calls.show("b.txt") },
    { fail_c: calls.fail("c.txt") },
  ]);
  const request = last(await stage.say("and now"));

  const handles = ["read_a", "show_b", "fail_c"].map((callId) => handleOf(request, callId));
  assert.equal(new Set(handles).size, 3, "each result has its own handle");
  assert.deepEqual(
    ["read_a", "show_b", "fail_c"].map((callId) => hasFailed(request, callId)),
    [false, false, true],
  );
  const results = request.messages.filter(({ role }) => role === "tool");
  const shown = stage.host.settings === "pooled" ? [] : ["a", "b", "c"];
  assert.deepEqual(shownWords({ messages: results }, textNames), shown, "contents in tool results");
};

export const activeContentIsShown: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  const requests = await stage.say("look", [
    { read_a: calls.read("a.txt"), show_b: calls.show("b.txt") },
    { fail_c: calls.fail("c.txt") },
    ...showing(stage.host, ["d", "e", "f", "g"]),
  ]);

  const shown = requests.map((request) => shownWords(request, textNames).join(""));
  // The file stays. Of the observed tool calls the specification keeps only the newest five, without the reads.
  const end = stage.host.settings === "defaults" ? "abcdefg" : "acdefg";
  assert.deepEqual(shown, ["", "ab", "abc", "abcd", "abcde", "abcdef", end]);
};

export const readShowsTheFileOnce: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  const early = await stage.say("read it", [
    { read_1: calls.read("a.txt") },
    { read_2: calls.read("a.txt"), read_3: calls.read("./a.txt") },
  ]);
  await stage.host.writeFile("a.txt", wordsOf("changed"));
  await stage.say("read it again", [{ read_4: calls.read("a.txt") }]);
  await endEpoch(stage);
  const late = await stage.say("and now");

  for (const request of early.slice(1))
    assert.deepEqual(shownWords(request, ["a", "changed"]), ["a"], "after the first read");
  assert.deepEqual(shownWords(last(late), ["a", "changed"]), ["changed"], "after the change");
};

export const writtenFileIsRefreshed: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  const requests = await stage.say("change it", [
    { read_a: calls.read("a.txt"), read_b: calls.read("b.txt") },
    (request) => {
      assert.deepEqual(shownWords(request, ["a", "b"]), ["a", "b"]);
      return { write_a: calls.write("a.txt", `${wordsOf("written")}\n`) };
    },
  ]);

  const request = last(requests);
  // The words are also in the tool call's arguments, but those are not text of a message.
  if (stage.host.settings === "pooled")
    assert.deepEqual(shownWords(request, ["a", "b", "written"]), ["b", "written"]);
  else assert.match(resultOf(request, "write_a").text, /\[f\d+ v2 replaces v1 above\]/u);
};

export const standInsAreNotWritten: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;

  const first = await stage.say("change them", [
    { read_a: calls.read("a.txt"), read_b: calls.read("b.txt") },
    (request) => {
      const stub = stubOf(fileHandleOf(request, "read_a"));
      return {
        write_a: calls.write("a.txt", stub),
        write_b: calls.write("b.txt", `first\n${stub}\n`),
        write_c: calls.write("c.txt", wordsOf("written")),
        write_e: calls.write("e.txt", stubOf(unknownFile)),
      };
    },
    { show_a: calls.show("a.txt"), show_b: calls.show("b.txt"), show_c: calls.show("c.txt") },
  ]);
  const [, , refused = last([]), shown = last([])] = first;
  for (const callId of ["write_a", "write_b", "write_e"])
    assert.match(resultOf(refused, callId).text, /characters, now in|^\[t\d+ failed/u, callId);
  for (const name of ["a", "b"])
    assert.ok(shownWords(shown, [name]).length > 0, `${name}.txt has its content`);
  assert.ok(shownWords(shown, ["written"]).length > 0, "the call without a stub has run");

  const stub = stubOf(fileHandleOf(refused, "read_a"));
  await stage.host.writeFile("d.txt", `${stub} is a stub\n`);
  const later = await stage.say("keep it", [
    { write_d: calls.write("d.txt", `${wordsOf("kept")}\n${stub} is a stub\n`) },
    { show_d: calls.show("d.txt") },
  ]);
  assert.ok(shownWords(last(later), ["kept"]).length > 0, "a file can keep a stub");
};

export const secretsAreMarks: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { calls } = stage.host;
  const lines = `first line\nTOKEN=${secret}\nlast line`;
  // A short output has no handle, and a short text stays in view.
  const others = "and other lines, which say nothing\n".repeat(40);
  await using plain = await openStage(openHost, { adapter: "absent" });
  for (const { host } of [stage, plain]) await host.writeFile("a.txt", `${lines}\n${others}`);
  const own = last(await plain.say("look", [{ show_a: calls.show("a.txt") }]));

  const asked = await stage.say(`use ${secret} for it`, [
    { read_a: calls.read("a.txt") },
    { show_a: calls.show("a.txt") },
    { write_b: calls.write("b.txt", `key: ${secret}\n`) },
    (request) => ({ off: contextCall("deactivate", handleOf(request, "show_a")) }),
  ]);
  await endEpoch(stage);
  const back = await stage.say("look again", [
    (request) => ({ on: contextCall("activate", handleOf(request, "show_a")) }),
  ]);
  await stage.host.restart();
  const resumed = await stage.say("still there");
  const stored = await stage.host.storedTexts();
  const [mark = "no mark"] = markOf.exec(stored.join("\n")) ?? [];
  const quoted = last(await stage.say(`what is ${mark}?`));

  // A host can hide a secret in the results of its tools by itself.
  const [line = "no line"] = /TOKEN=\S*/u.exec(resultOf(own, "show_a").text) ?? [];
  const prompts = asked.map((request) => saidBy(request, [`use ${secret} for it`]).length);
  assert.deepEqual(prompts, [1, 1, 1, 1, 1], "the prompt with its secret");
  for (const request of [last(asked), last(back), last(resumed)]) {
    const shown = request.messages.map(({ text }) => text).join("\n");
    assert.ok(
      shown.includes(`first line\n${line}\nlast line`),
      "a request has the text of the file as the host has it",
    );
    const sent = request.messages.map(({ bytes }) => bytes).join("\n");
    assert.doesNotMatch(sent, markOf, "a request has no mark");
  }
  assert.ok(!stored.some((text) => text.includes(secret)), "the store has no secret");
  assert.match(mark, /^\[secret: github-token, 40 characters, /u, "the store has marks");
  const words = quoted.messages.filter(({ role }) => role === "user").map(({ text }) => text);
  assert.ok(words.includes(`what is ${mark}?`), "a text that quotes a mark stays as it is");
};

/** Joined here, so that no file contains a text that looks like a key. */
const secret = ["ghp", `${"q7Zr2Kd9".repeat(4)}Wm4x`].join("_");

/** Matches a mark of a secret. */
const markOf = /\[secret: [a-z-]+, \d+ characters, [0-9a-f]{12}\]/u;

/** The handle of a file that the session does not have. */
const unknownFile = "f99";

/** The stub of large arguments that wrote a file. */
function stubOf(handle: string): string {
  return `[4000 characters, now in ${handle} v1]`;
}

/** Returns the handle of the file that a tool call's result names. */
function fileHandleOf(request: ModelRequest, callId: string): string {
  const [handle] = /\bf\d+\b/u.exec(resultOf(request, callId).text) ?? [];
  assert.ok(handle, `the result of ${callId} names a file`);
  return handle;
}

export const imagesSurvive: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  await using plain = await openStage(openHost, { adapter: "absent" });
  const picture = { picture: stage.host.calls.picture("p.png") };
  const both = [blue, red].toSorted();

  const first = await stage.say("what is this", [picture], [red]);
  const off = await stage.say("less", [
    (request) => ({ off: contextCall("deactivate", handleOf(request, "picture")) }),
  ]);
  await endEpoch(stage);
  const later = await stage.say("and now", [
    (request) => ({ on: contextCall("activate", handleOf(request, "picture")) }),
  ]);
  await stage.host.restart();
  const resumed = await stage.say("still there");
  await plain.say("what is this", [picture], [red]);
  const turns = last(resumed).messages.filter(({ role }) => role === "user").length;
  for (let turn = 2; turn <= turns; turn += 1) await plain.say(`turn ${turn}`);

  assert.deepEqual(first.map(imagesIn).map(sorted), [[red], both]);
  assert.deepEqual(off.slice(0, 1).map(imagesIn).map(sorted), [both]);
  // A host can leave out the images of older turns by itself.
  if (imagesIn(last(plain.host.requests)).length === 0) return;
  assert.deepEqual(later.map(imagesIn).map(sorted), [[red], both]);
  assert.deepEqual(resumed.map(imagesIn).map(sorted), [both]);
};

const sorted = (images: readonly string[]): readonly string[] => images.toSorted();
