import { executionField } from "@self-context-manager/core/host";
import { isJsonObject, type JsonValue, toJson } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

import type { HarnessScenario, HostOptions, OpenHost } from "../harness-host.ts";
import {
  bytesOf,
  handleOf,
  last,
  pairingFaults,
  resultOf,
  saidBy,
  shownWords,
} from "../request-checks.ts";
import { contextCall, openStage, showing, type Stage, wordsOf } from "../stage.ts";
import { withoutExecution } from "../without-execution.ts";

export const hostRecordIsUntouched: HarnessScenario = async (openHost) => {
  const [managed, plain] = await Promise.all(
    (["managed", "absent"] as const).map(async (adapter) => {
      await using stage = await openStage(openHost, { adapter });
      await everyTool(stage);
      return await stage.host.record();
    }),
  );

  assert.deepEqual(withoutExecution(managed ?? null), withoutExecution(plain ?? null));
};

/** Calls every tool of the host, but no tool that only a managed session offers. */
async function everyTool({ host, say }: Stage): Promise<void> {
  const { calls } = host;
  await say("do all of it", [
    { read_a: calls.read("a.txt"), show_b: calls.show("b.txt") },
    { fail_c: calls.fail("c.txt"), read_x: calls.read("missing.txt") },
    { write_n: calls.write("n.md", "a note\n") },
    { picture: calls.picture("p.png"), unknown: { name: "no_such_tool", arguments: {} } },
  ]);
  await say("and again", [{ read_again: calls.read("a.txt") }]);
}

export const detailsAreRecorded: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  const { calls } = host;

  const requests = await say("do all of it", [
    { show_a: calls.show("a.txt"), show_b: calls.show("b.txt") },
    (request) => ({ off: contextCall("deactivate", handleOf(request, "show_a")) }),
    (request) => ({ on: contextCall("activate", handleOf(request, "show_a")) }),
    (request) => ({ pin: contextCall("pin", handleOf(request, "show_b")) }),
    (request) => ({ unpin: contextCall("unpin", handleOf(request, "show_b")) }),
  ]);
  // If the host's own tool that reads files has another name, the adapter can offer the context tool `read`.
  const offersRead = last(requests).tools.includes("read") && calls.read("c.txt").name !== "read";
  if (offersRead) await say("read", [{ read: { name: "read", arguments: { path: "c.txt" } } }]);

  const recorded = operationsIn(await host.record());
  const used = ["deactivate", "activate", "pin", "unpin", ...(offersRead ? ["read"] : [])];
  assert.deepEqual(
    used.filter((name) => !recorded.has(name)),
    [],
    "context tools whose results have no `answerDetails` in the host's record: does the adapter return them with the result, and does the host store them?",
  );
};

/** Returns the names of the operations whose effects a record has. */
function operationsIn(value: JsonValue): ReadonlySet<string> {
  const found = new Set<string>();
  JSON.stringify(value, (name, one: unknown) => {
    const execution = name === executionField ? toJson(one) : null;
    const effects = isJsonObject(execution) ? execution["effects"] : [];
    for (const effect of Array.isArray(effects) ? (effects as readonly JsonValue[]) : [])
      if (isJsonObject(effect) && typeof effect["op"] === "string") found.add(effect["op"]);
    return one;
  });
  return found;
}

export const failureLetsThrough: HarnessScenario = async (openHost) => {
  const plain = await requestsOf(openHost, { adapter: "absent" });
  await using stage = await openStage(openHost, { brokenStore: true });
  const { host, say } = stage;
  await look(stage);
  assert.deepEqual(host.requests.map(bytesOf), plain.map(bytesOf), "the host's messages");
  assert.ok(JSON.stringify(await host.record()).includes("answer 1"), "the run has succeeded");

  host.setBroken(false);
  const mended = await say("mended", [
    (request) => {
      assert.deepEqual(saidBy(request, ["look", "mended"]), ["look", "mended"]);
      return { on_b: contextCall("activate", handleOf(request, "show_b")) };
    },
  ]);
  assert.deepEqual(
    shownWords(last(mended), ["b"]),
    ["b"],
    "a result from the time of the failure can be shown",
  );

  host.setBroken(true);
  const broken = await say("broken again", [
    { show_c: host.calls.show("c.txt"), on_a: contextCall("activate", "a.txt") },
  ]);
  assert.ok(resultOf(last(broken), "show_c").text.includes(wordsOf("c")), "the host's result");
  assert.ok(
    resultOf(last(broken), "show_b").text.includes(wordsOf("b")),
    "the host's earlier result",
  );

  host.setBroken(false);
  const whole = last(await say("mended again"));
  handleOf(whole, "show_c");
  const said = ["look", "mended", "broken again", "mended again"];
  assert.deepEqual(saidBy(whole, said), said);
  assert.deepEqual(pairingFaults(whole), []);
};

async function look({ host, say }: Stage): Promise<void> {
  await say("look", [{ read_a: host.calls.read("a.txt"), show_b: host.calls.show("b.txt") }]);
}

async function requestsOf(
  openHost: OpenHost,
  options: Partial<HostOptions>,
): Promise<Stage["host"]["requests"]> {
  await using stage = await openStage(openHost, options);
  await look(stage);
  return [...stage.host.requests];
}

export const failureIsNotifiedOnce: HarnessScenario = async (openHost) => {
  await using sound = await openStage(openHost);
  await look(sound);
  assert.deepEqual(sound.host.notices, [], "no notification without a failure");

  await using stage = await openStage(openHost, { brokenStore: true });
  await look(stage);
  await stage.say("and now", showing(stage.host, ["c"]));
  stage.host.setBroken(false);
  await stage.say("mended");

  assert.equal(stage.host.notices.length, 1, stage.host.notices.join("\n"));
};

/** Milliseconds after which a run waits for the store. Without a store it takes no second. */
const patience = 10_000;

export const silentStoreDelaysNothing: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost);
  const { host, say } = stage;
  await look(stage);
  host.setBroken(true);
  await say("while broken");
  host.setBroken("silent");
  const run = say("while silent", showing(host, ["c"]));
  let isOver: boolean;
  try {
    isOver = await Promise.race([run.then(() => true), delay(patience, false, { ref: false })]);
  } finally {
    host.setBroken(false);
  }
  const silent = last(await run);
  const mended = last(await say("mended"));

  assert.ok(isOver, "the run is over before the store has answered");
  assert.ok(resultOf(silent, "show_c").text.includes(wordsOf("c")), "the host's result");
  handleOf(mended, "show_c");
  const said = ["look", "while broken", "while silent", "mended"];
  assert.deepEqual(saidBy(mended, said), said);
};

export const offSwitchPassesThrough: HarnessScenario = async (openHost) => {
  const plain = await requestsOf(openHost, { adapter: "absent" });
  await using off = await openStage(openHost, { adapter: "off" });
  await look(off);
  assert.deepEqual(off.host.requests, plain);

  await using stage = await openStage(openHost);
  await look(stage);
  await stage.host.turn(false);
  const without = last(await stage.say("while off", showing(stage.host, ["c"])));
  await stage.host.turn(true);
  const again = last(await stage.say("while on"));

  assert.equal(without.instruction, plain[0]?.instruction);
  assert.deepEqual(without.tools, plain[0]?.tools);
  for (const name of ["b", "c"])
    assert.ok(resultOf(without, `show_${name}`).text.includes(wordsOf(name)), "the host's result");
  handleOf(again, "show_c");
  const said = ["look", "while off", "while on"];
  assert.deepEqual(saidBy(again, said), said);
};
