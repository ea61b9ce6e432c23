import { StoreError } from "@self-context-manager/objects";
import { expect, it } from "vitest";
import { answeredAgain } from "../../src/adapters/answered-again.ts";
import type { Message } from "../../src/chat/message.ts";
import { answer, prompt } from "../history/host-messages.ts";
import { plainCodec } from "../session/test-session.ts";
import { testConnection } from "./test-connection.ts";

const begun: readonly Message[] = [prompt("one", 1), answer("answer one", 2), prompt("two", 3)];

it("reports a message that the session has as answered again", async () => {
  const { connection } = await testConnection();
  await connection.ingest([...begun, answer("answer two", 4)]);

  expect(await answeredAgain(connection, plainCodec, begun)).toEqual({ rewound: true });
});

it("reports a list without an answer as a chat that begins again", async () => {
  const { connection, opened } = await testConnection();

  expect(await answeredAgain(connection, plainCodec, [prompt("one, edited", 9)])).toEqual({
    rewound: true,
  });
  expect(opened()).toBe(0);
});

it("reports nothing for a new message, and nothing for the next step of a run", async () => {
  const { connection } = await testConnection();
  await connection.ingest(begun);
  const next = [...begun, answer("answer two", 4)];

  expect(await answeredAgain(connection, plainCodec, next)).toEqual({});
  expect(await answeredAgain(connection, plainCodec, [...next, prompt("three", 5)])).toEqual({});
  expect(await answeredAgain(connection, plainCodec, [])).toEqual({});
});

it("reports nothing if the codec fails", async () => {
  const { connection } = await testConnection();
  const failing = {
    ...plainCodec,
    identify: ({ role }: Message) => ({ role }),
    decode: () => {
      throw new Error("the message is broken");
    },
  };

  expect(await answeredAgain(connection, failing, begun)).toEqual({});
});

it("reports nothing if the session cannot be opened, of which the user is notified once for the request", async () => {
  const { connection, fail, notices } = await testConnection();
  fail(new StoreError("STORE_BUSY", "another process writes to the store"));

  expect(await answeredAgain(connection, plainCodec, begun)).toEqual({});
  await connection.modelCall({ messages: begun });
  expect(notices).toHaveLength(1);
});
