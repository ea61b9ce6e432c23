import type { Block } from "../../src/chat/message.ts";
import { describe, expect, it } from "vitest";

import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import { numberedLines } from "./fake-files.ts";
import { scriptHistory, type ScriptedHistory } from "./script-history.ts";
import { openTestSession, type TestSession } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

const count = 60;
const output = (index: number): string => `output ${index}\n${numberedLines(60)}`;

describe("a batch of more calls than objects stay active", () => {
  it("is shown whole in the next request, and only part of it is active after that", async () => {
    const { session, history } = await afterBatch();

    const first = await textsOf(session);
    history.say("seen");
    history.user("go on");
    await history.ingest(session);

    for (let index = 0; index < count; index += 1) expect(first).toContain(output(index));
    expect((await session.status()).activeCount).toBeLessThan(count);
  });

  it("stays active when the same request is repeated", async () => {
    const { session, history } = await afterBatch();
    await session.nextView();
    await history.ingest(session);

    expect((await session.status()).activeCount).toBe(count);
  });

  it("is not shown whole if the model has answered it already, as in a list that is long at first", async () => {
    const { session, history } = await afterBatch(async () => undefined);
    history.say("seen");
    history.user("go on");
    await history.ingest(session);

    expect((await session.status()).activeCount).toBeLessThan(count);
  });

  it("is shown whole when the model or the user activates it again", async () => {
    const { session, history } = await afterBatch();
    await session.nextView();
    for (let index = 0; index < count; index += 1) await session.deactivate(`t${index + 1}`);
    history.say("seen");
    history.user("again");
    await history.ingest(session);
    await session.nextView();
    for (let index = 0; index < count; index += 1) await session.activate(`t${index + 1}`);
    history.say("more");
    history.user("go on");
    await history.ingest(session);

    const texts = await textsOf(session);
    for (let index = 0; index < count; index += 1) expect(texts).toContain(output(index));
  });
});

/** Opens a session after a batch of commands. */
async function afterBatch(
  ingest = async (opened: TestSession, history: ScriptedHistory): Promise<unknown> =>
    await history.ingest(opened.session),
): Promise<TestSession & { readonly history: ScriptedHistory }> {
  const opened = await openTestSession({
    layout: epochLayout({ deactivate: "immediate" }),
    policy: recentlyUsedPolicy(),
  });
  const history = scriptHistory();
  history.user("run all");
  const calls = Array.from({ length: count }, (_, index): Block => ({
    type: "toolCall",
    id: `call_${index}`,
    name: "bash",
    arguments: { command: `run ${index}` },
  }));
  history.push({ role: "assistant", content: calls, meta: {}, timestamp: 1_700_000_100_000 });
  for (const [index] of calls.entries())
    history.push({
      role: "toolResult",
      toolCallId: `call_${index}`,
      toolName: "bash",
      content: [{ type: "text", text: output(index) }],
      isError: false,
      timestamp: 1_700_000_100_001 + index,
    });
  await ingest(opened, history);
  return { ...opened, history };
}

async function textsOf(session: TestSession["session"]): Promise<string> {
  return (await session.nextView()).messages.map(textOfMessage).join("\n");
}
