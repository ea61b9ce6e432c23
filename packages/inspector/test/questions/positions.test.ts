import { expect, it } from "vitest";

import type { StoreAnswer } from "../../src/answers.ts";
import { openQuestions } from "../../src/questions/questions.ts";
import { inspected, quietStore, recordedSession } from "../recorded-session.ts";
import { testParser } from "../test-parser.ts";

it("the position of a store is after its newest version, and is not found from the beginning", async () => {
  const { store } = await recordedSession([{ user: "go" }, { read: "a.md", text: "# A\n" }]);
  const { position } = await store.changesSince();
  await store.documents.keep(testParser.name, [], position);
  const asked: (string | undefined)[] = [];
  const counted = {
    ...store,
    changesSince: async (...args: Parameters<typeof store.changesSince>) => {
      asked.push(args[0]);
      return await store.changesSince(...args);
    },
  };
  const questions = openQuestions(inspected(counted, { parser: testParser }));

  const first = (await questions.ask(["store"])) as StoreAnswer;
  await recordedSession([{ user: "more" }], { store, host: { harness: "test", sessionId: "two" } });
  const second = (await questions.ask(["store"])) as StoreAnswer;

  expect(first.position).toBe(position);
  expect(second.position).toBe((await store.changesSince()).position);
  expect(asked).not.toContain(undefined);
});

it("an empty store has a position too", async () => {
  const { position } = (await openQuestions(inspected(quietStore())).ask(["store"])) as StoreAnswer;

  expect(position).toBe((await quietStore().changesSince()).position);
});
