import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession } from "../session/test-session.ts";
import { textOfMessage } from "../session/view-parts.ts";

describe("a result that arrives after the next prompt was sent", () => {
  it("begins an epoch, because it changes sent messages", async () => {
    const { session } = await openTestSession({ layout: epochLayout() });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "make" }, "built");
    const result = history.messages.pop();
    history.user("is it done?");
    await history.ingest(session);
    const before = await session.nextView();
    if (result !== undefined) history.push(result);
    await history.ingest(session);

    const { messages, epoch } = await session.nextView();

    expect(before.messages.map(textOfMessage)).toContain("[no result: the call was interrupted]");
    expect(messages.map(textOfMessage)).toEqual(["go", "", "built", "is it done?"]);
    expect(epoch).toMatchObject({ number: 2, isNew: true, endedBy: "late-result" });
    expect(epoch?.sharedTokens).toBeLessThan(before.epoch?.promptTokens ?? 0);
  });
});
