import type { JsonObject } from "@self-context-manager/objects";
import { expect, test } from "vitest";

import { emptyTurn, type PiTurn, turnAfter } from "../../src/hosts/pi-events.ts";

function turnOf(...events: readonly JsonObject[]): PiTurn {
  return events.reduce(turnAfter, emptyTurn);
}

function answer(text: string, fields: JsonObject = {}): JsonObject {
  const content =
    text === ""
      ? []
      : [
          { type: "thinking", thinking: "hm" },
          { type: "text", text },
        ];
  return { type: "message_end", message: { role: "assistant", content, ...fields } };
}

test("the text is the last one of the assistant that is not empty", () => {
  const user = { type: "message_end", message: { role: "user", content: "and then?" } };

  expect(turnOf(answer("first"), answer("second"), answer(""), user).text).toBe("second");
});

test("an error counts until a later answer has none", () => {
  const failed = answer("", { stopReason: "error", errorMessage: "overloaded" });

  expect(turnOf(failed).error).toBe("overloaded");
  expect(turnOf(failed, answer("fine", { stopReason: "stop" })).error).toBeUndefined();
});

test("the turn is about to retry from the end of a try until the next begins", () => {
  const waits = turnOf(
    { type: "agent_start" },
    { type: "agent_end" },
    { type: "auto_retry_start" },
  );

  expect(waits.isAboutToRetry).toBe(true);
  expect(turnAfter(waits, { type: "agent_start" }).isAboutToRetry).toBe(false);
  expect(turnOf({ type: "compaction_end", willRetry: true }).isAboutToRetry).toBe(true);
});

test("a run that has begun is at rest when it has settled", () => {
  const runs = turnOf({ type: "agent_start" }, { type: "agent_end" });

  expect(runs.isRunning).toBe(true);
  expect(turnAfter(runs, { type: "agent_settled" }).isRunning).toBe(false);
});

test("warnings and errors of extensions are notices, and information is not", () => {
  const notify = { type: "extension_ui_request", method: "notify", message: "no store" };
  const turn = turnOf(
    { ...notify, notifyType: "warning" },
    { ...notify, notifyType: "info" },
    { type: "extension_error", extensionPath: "/e", error: "broken" },
  );

  expect(turn.notices).toEqual(["no store", "/e: broken"]);
});
