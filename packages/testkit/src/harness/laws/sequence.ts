import { standingInstruction } from "@self-context-manager/core";
import assert from "node:assert/strict";

import type { HarnessScenario } from "../harness-host.ts";
import type { ModelMessage, ModelRequest } from "../model-request.ts";
import { last, pairingFaults, resultOf, saidBy } from "../request-checks.ts";
import { contextCall, halfAnswer, openStage, showing, wordsOf } from "../stage.ts";

export const pairingIsLegal: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  await using plain = await openStage(openHost, { adapter: "absent" });

  for (const { host, say } of [stage, plain]) {
    const { calls } = host;
    const isManaged = host === stage.host;
    await say("all at once", [
      {
        show_a: calls.show("a.txt"),
        fail_b: calls.fail("b.txt"),
        read_c: calls.read("c.txt"),
        ...(isManaged ? { on_x: contextCall("activate", "f999") } : {}),
        unknown: { name: "no_such_tool", arguments: {} },
      },
      ...(isManaged ? [{ pin_c: contextCall("pin", "c.txt") }] : []),
    ]);
    await host.restart();
    await say("and now", showing(host, ["d"]));
  }

  assert.deepEqual(
    stage.host.requests.map(pairingFaults),
    stage.host.requests.map(() => []),
  );
  const request = last(stage.host.requests);
  // A host can leave out the call of a tool that it does not have.
  const expected = last(plain.host.requests).messages.flatMap(({ toolCallId = [] }) => toolCallId);
  for (const id of [...expected, "on_x", "pin_c"]) resultOf(request, id);
};

export const repeatedIdsAreOtherCalls: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  await using plain = await openStage(openHost, { adapter: "absent" });

  for (const { host, say } of [stage, plain]) {
    const { calls } = host;
    await say("two of one id", [
      [
        ["same", calls.show("a.txt")],
        ["same", calls.show("b.txt")],
      ],
      [["same", calls.show("c.txt")]],
    ]);
    await host.restart();
    await say("and now");
  }

  // A host can take calls of one id as one call.
  const names = ["a", "b", "c"].filter((name) =>
    last(plain.host.requests).messages.some(({ text }) => text.includes(wordsOf(name))),
  );
  const requests = stage.host.requests.slice(-2);
  for (const request of requests) {
    assert.deepEqual(pairingFaults(request), []);
    const ids = idsOf(request);
    assert.equal(
      new Set(ids).size,
      ids.length,
      `each call has an id of its own: ${ids.join(", ")}`,
    );
    const results = request.messages.filter(({ toolCallId }) => toolCallId !== undefined);
    const shownIn = (messages: readonly ModelMessage[]): readonly string[] =>
      messages.flatMap(({ text }) => names.filter((name) => text.includes(wordsOf(name))));
    assert.deepEqual(shownIn(request.messages).toSorted(), names, "each result is shown once");
    const shown = shownIn(results);
    assert.deepEqual(shown, shown.length === 0 ? [] : names, "results are in the order of calls");
  }
  const [before, after] = requests.map(idsOf);
  assert.deepEqual(after, before, "the ids are the same after a resume");
};

function idsOf({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
}

export const failedAnswersFollowTheHost: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  await using plain = await openStage(openHost, { adapter: "absent" });
  const texts = ["look", "broken off", "go on", "and now"];

  for (const { host, say, breakOff } of [stage, plain]) {
    await say("look", showing(host, ["a"]));
    await breakOff("broken off");
    await say("go on", showing(host, ["b"]));
    await host.restart();
    await say("and now");
  }

  const [requests, expected] = [stage, plain].map(({ host }) => host.requests.map(halfAnswers));
  assert.deepEqual(requests, expected);
  assert.deepEqual(saidBy(last(stage.host.requests), texts), texts);
  assert.deepEqual(
    stage.host.requests.map(pairingFaults),
    stage.host.requests.map(() => []),
  );
};

function halfAnswers({ messages }: ModelRequest): number {
  return messages.filter(({ text }) => text.includes(halfAnswer)).length;
}

export const newestUserMessageIsThere: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const texts = ["first words", "again", "other words"];

  await stage.say("first words", showing(stage.host, ["a"]));
  await stage.say("again");
  await stage.say("again", showing(stage.host, ["b"]));
  await stage.host.restart();
  await stage.say("other words", showing(stage.host, ["c"]));

  const said = stage.host.requests.map((request) => saidBy(request, texts));
  const all = ["first words", "again", "again", "other words"];
  assert.deepEqual(
    said,
    [1, 1, 2, 3, 3, 4, 4].map((count) => all.slice(0, count)),
  );
};

export const instructionIsConstant: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);

  await stage.say("look", showing(stage.host, ["a", "b"]));
  await stage.say("keep it", [
    { read_c: stage.host.calls.read("c.txt") },
    { pin: contextCall("pin", "c.txt") },
  ]);
  await stage.host.restart();
  await stage.say("and now", showing(stage.host, ["d"]));

  const [first, ...others] = stage.host.requests;
  assert.equal(
    first?.instruction.split(standingInstruction).length,
    2,
    "the request contains the instruction once",
  );
  for (const { instruction, tools } of others) {
    assert.equal(instruction, first.instruction);
    assert.deepEqual(tools, first.tools);
  }
};

export const systemPromptsAreRecorded: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);

  await stage.say("look");
  const { instruction } = last(stage.host.requests);
  const recorded = await stage.host.systemPrompts();

  assert.notEqual(instruction.trim(), "", "the request has a system prompt");
  const rest = recorded.reduce((text, prompt) => text.replace(prompt.trim(), ""), instruction);
  assert.equal(
    rest.trim(),
    "",
    "the part of the system prompt that the store does not have: does the adapter call `recordSystemPrompt` for the host's prompt and for its own?",
  );
};

export const unknownMessagesPass: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  await using plain = await openStage(openHost, { adapter: "absent" });
  const place = ["before it", ownWords, "after it"];

  for (const { host, say } of [stage, plain]) {
    await say("before it", showing(host, ["a"]));
    await host.addOwnMessage(ownWords);
    await say("after it", showing(host, ["b"]));
    await host.restart();
    await say("later");
  }

  const expected = ownMessages(last(plain.host.requests));
  assert.equal(expected.length, 1, "the host sends its own message");
  for (const request of stage.host.requests.slice(2)) {
    assert.deepEqual(ownMessages(request), expected);
    const found = request.messages.flatMap(({ text }) => place.filter((one) => text.includes(one)));
    assert.deepEqual(found, place, "the messages before and after it");
  }
};

const ownWords = "a word of the host's own";

function ownMessages({ messages }: ModelRequest): readonly string[] {
  return messages.filter(({ text }) => text.includes(ownWords)).map(({ bytes }) => bytes);
}

export const requestsHaveTheirHash: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  await stage.say("look", showing(stage.host, ["a"]));
  await stage.say("again", showing(stage.host, ["b"]));
  // The last answer can be ingested only with the next request, whose own answer is then the last.
  await stage.say("and now");

  const hashes = await stage.host.requestHashes();
  const answered = stage.host.requests.length - 1;
  assert.ok(hashes.length >= answered, `${hashes.length} hashes of ${answered} requests`);
  assert.equal(new Set(hashes).size, hashes.length, "each request has another hash");
  const sent = stage.host.sentHashes?.();
  if (sent !== undefined) assert.deepEqual(hashes, sent.slice(0, hashes.length), "of the request");
};
