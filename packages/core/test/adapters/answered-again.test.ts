import { StoreError } from "@self-context-manager/objects";
import { expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import type { ModelCall } from "../../src/adapters/model-calls.ts";
import { answer, prompt } from "../history/host-messages.ts";
import { testConnection, type TestConnection } from "./test-connection.ts";

const begun: readonly Message[] = [prompt("one", 1), answer("answer one", 2), prompt("two", 3)];
const answered = [...begun, answer("answer two", 4)];

/** A connection of a host that does not report that the user went back. */
async function unreported(): Promise<TestConnection> {
  return await testConnection({ host: { findsWentBack: true } });
}

function textsIn(call: ModelCall<Message> | undefined): readonly string[] {
  const text = JSON.stringify(call?.messages ?? []);
  return Array.from(
    text.matchAll(/answer (?:one|two|three)|be brief|one, edited/gu),
    ([one]) => one,
  );
}

it("goes back to a message that the session has", async () => {
  const { connection } = await unreported();
  await connection.ingest(answered);

  const call = await connection.modelCall({ messages: begun });

  expect(textsIn(call)).toEqual(["answer one"]);
});

it("goes back also if the request has messages of its own, or lacks some", async () => {
  const { connection } = await unreported();
  const reminder = prompt("be brief", 9);
  await connection.ingest(answered);

  const call = await connection.modelCall({
    messages: [...begun.slice(2), reminder],
    host: begun,
    added: new Set([reminder]),
  });

  expect(textsIn(call)).toEqual(["be brief"]);
});

it("begins the chat again with a list without an answer", async () => {
  const { connection } = await unreported();
  await connection.ingest(answered);

  const call = await connection.modelCall({ messages: [prompt("one, edited", 9)] });

  expect(textsIn(call)).toEqual(["one, edited"]);
});

it("begins the chat again after a failure, with the next list", async () => {
  const { connection, fail } = await unreported();
  await connection.ingest(answered);
  fail(new StoreError("STORE_BUSY", "another process writes to the store"));
  await connection.modelCall({ messages: begun.slice(0, 1) });
  fail();

  const call = await connection.modelCall({
    messages: [...begun.slice(0, 1), answer("answer three", 10), prompt("three", 11)],
  });

  expect(textsIn(call)).toEqual(["answer three"]);
});

it("continues with a new message, and with the next step of a run", async () => {
  const { connection } = await unreported();
  await connection.ingest(begun);

  const step = await connection.modelCall({ messages: answered });
  const next = await connection.modelCall({ messages: [...answered, prompt("three", 5)] });

  expect([step, next].map(textsIn)).toEqual([
    ["answer one", "answer two"],
    ["answer one", "answer two"],
  ]);
});

it("does not go back for a shorter list of a host that reports it", async () => {
  const { connection } = await testConnection();
  await connection.ingest(answered);

  const call = await connection.modelCall({ messages: begun });

  expect(textsIn(call)).toEqual(["answer one", "answer two"]);
});
