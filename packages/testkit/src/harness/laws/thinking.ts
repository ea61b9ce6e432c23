import assert from "node:assert/strict";

import type { HarnessScenario } from "../harness-host.ts";
import type { ModelRequest } from "../model-request.ts";
import { bytesOf, last } from "../request-checks.ts";
import { endEpoch } from "../leaving.ts";
import { contextCall, openStage, showing, thoughtOf } from "../stage.ts";

export const reasoningIsKept: HarnessScenario = async (openHost) => {
  const [managed = [], plain = []] = await Promise.all(
    (["managed", "absent"] as const).map(async (adapter) => {
      await using stage = await openStage(openHost, { adapter, thinks: true });
      const { host, say } = stage;
      await say("look", [{ read_a: host.calls.read("a.txt") }, ...showing(host, ["b"])]);
      await say("go on", showing(host, ["c"]));
      await host.restart();
      await say("and now", showing(host, ["d"]));
      return host.requests.map(thoughtsIn);
    }),
  );

  assert.ok((plain.at(-1) ?? []).length > 0, "the host alone sends the model's thinking again");
  for (const [index, thoughts] of managed.entries())
    assert.deepEqual(
      thoughts,
      plain[index],
      `thinking in request ${index + 1}: does the codec keep it in \`decode\`, and the adapter in the messages that it sends?`,
    );
};

export const signedThinkingStaysValid: HarnessScenario = async (openHost) => {
  await using stage = await openStage(openHost, { thinking: "bound" });
  const { host, say } = stage;

  await say("look", [{ read_a: host.calls.read("a.txt") }, ...showing(host, ["b"])]);
  await say("less", [{ off_a: contextCall("deactivate", "a.txt") }, ...showing(host, ["c"])]);
  await endEpoch(stage);
  await host.restart();
  await say("go on", showing(host, ["d", "e"]));
  host.setBroken(true);
  await say("without the store", showing(host, ["f"]));
  host.setBroken(false);
  await say("with it again", showing(host, ["g"]));

  for (const request of host.requests) assertValid(request, host.requests);
  const shown = host.requests.map((request) => thoughtsIn(request).length);
  const answered = last(host.requests).messages.filter(({ role }) => role === "assistant").length;
  assert.ok((shown.at(-1) ?? 0) < answered, "thinking behind a change was left out");
  // The pooled layout changes the messages before every answer.
  if (host.settings !== "pooled") assert.ok((shown.at(-1) ?? 0) >= 2, "other thinking stays");
};

/**
 * Checks each thinking in a request: everything before it, and the thinking before it, is the same as in the request that
 * it answered. Its predecessors may be left out altogether.
 */
function assertValid(request: ModelRequest, all: readonly ModelRequest[]): void {
  let before: string | undefined;
  for (const [index, { thinking }] of request.messages.entries()) {
    if (thinking === undefined) continue;
    const made = all.find((_, number) => thoughtOf(number) === thinking);
    assert.ok(made, `${thinking} answered a request`);
    const head = { instruction: request.instruction, tools: request.tools };
    assert.deepEqual(head, { instruction: made.instruction, tools: made.tools });
    assert.deepEqual(bytesOf(request).slice(0, index), bytesOf(made), `before ${thinking}`);
    if (before !== undefined) assert.equal(before, thoughtsIn(made).at(-1));
    before = thinking;
  }
}

function thoughtsIn({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap(({ thinking }) => (thinking === undefined ? [] : [thinking]));
}
