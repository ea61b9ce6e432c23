import { StoreError } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import type { HostClock } from "../../src/host/host-clock.ts";
import { standingInstruction } from "../../src/session/context-tools.ts";
import { prompt } from "../history/host-messages.ts";
import { testConnection, type TestConnection } from "./test-connection.ts";

const busy = new StoreError("STORE_BUSY", "another process writes to the store");
const hello = [prompt("hello", 1)];
const write = { id: "call_1", name: "write", args: { path: "n.md", content: "new\n" } };

interface Questions {
  asked: number;
  /** What the store answers when it is asked whether it works. */
  answer: () => Promise<void>;
}

/** A connection whose store has just failed, and whose waits are counted and are short. */
async function inTrouble(
  host: object = {},
): Promise<TestConnection & { readonly questions: Questions; readonly waits: readonly number[] }> {
  const questions: Questions = { asked: 0, answer: async () => await Promise.reject(busy) };
  const waits: number[] = [];
  const clock: HostClock = {
    now: () => 0,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const made = await testConnection({
    files: { "/work/n.md": "new\n" },
    host: { clock, ...host },
    changed: (session) =>
      Object.assign(Object.create(session) as typeof session, {
        check: async () => {
          questions.asked += 1;
          await questions.answer();
        },
      }),
  });
  await made.connection.modelCall({ messages: hello });
  made.fail(busy);
  await made.connection.modelCall({ messages: hello });
  made.fail();
  return { ...made, questions, waits };
}

/** Resolves with the value when all work that is ready is done. */
async function setImmediately(value: string): Promise<string> {
  return await new Promise((resolve) => {
    setImmediate(() => resolve(value));
  });
}

describe("a store in trouble", () => {
  it("is asked before each request, and gets no work until it works", async () => {
    const { connection, questions, notices } = await inTrouble();

    const during = await connection.modelCall({ messages: hello });
    questions.answer = async () => await Promise.resolve();
    const after = await connection.modelCall({ messages: hello });

    expect([during, questions.asked, notices.length]).toEqual([undefined, 2, 1]);
    expect(after?.view).toBeDefined();
  });

  it("delays a request by a moment when it does not answer, and is used when its answer has come", async () => {
    const { connection, questions, waits } = await inTrouble();
    const { promise, resolve } = Promise.withResolvers<void>();
    questions.answer = async () => await promise;

    const during = await connection.modelCall({ messages: hello });
    const waited = [...waits];
    resolve();
    await promise;
    const after = await connection.modelCall({ messages: hello });

    expect([during, waited, questions.asked]).toEqual([undefined, [45], 1]);
    expect(after?.view).toBeDefined();
  });

  it("is waited for as long as it takes in a host without a clock", async () => {
    const { connection, questions } = await inTrouble({ clock: undefined });
    questions.answer = async () => await new Promise((resolve) => setTimeout(resolve, 100));

    const call = await connection.modelCall({ messages: hello });

    expect(call?.view).toBeDefined();
  });

  it("is asked by no tool, whose effects are recorded by the next request", async () => {
    const { connection, questions } = await inTrouble();

    await connection.beginTool(write);
    await connection.endTool(write, {});
    const asked = questions.asked;
    questions.answer = async () => await Promise.resolve();
    await connection.modelCall({ messages: hello });

    const { objects } = await (await connection.session()).status();
    expect([asked, objects.map(({ stored }) => stored.body["path"])]).toEqual([0, ["/work/n.md"]]);
  });

  it("lets no tool wait until its file is released", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const clock: HostClock = { now: () => 0, wait: async () => await Promise.resolve() };
    const made = await testConnection({
      host: { clock },
      changed: (session) =>
        Object.assign(Object.create(session) as typeof session, {
          holdWrite: async () =>
            await Promise.resolve({ [Symbol.asyncDispose]: async () => await promise }),
        }),
    });
    await made.connection.beginTool(write);
    made.fail(busy);
    await made.connection.modelCall({ messages: hello });

    const ended = made.connection.endTool(write, {}).then(() => "ended");

    expect(await Promise.race([ended, setImmediately("waits")])).toBe("ended");
    resolve();
  });

  it("lets a context tool fail at once, with the reason for the model", async () => {
    const { connection } = await inTrouble();

    const answer = await connection.tools[0]?.run({ id: "f1" }, "call_9");

    expect(answer?.text).toContain("The store does not work at the moment; try again later.");
  });

  it("gets no hash of a request", async () => {
    const { connection, questions } = await inTrouble();

    connection.payload({ messages: [] });

    expect(questions.asked).toBe(0);
  });

  it("is no reason to leave the instruction out of a prompt that lasts for several requests", async () => {
    const lasting = await inTrouble({ isPromptLasting: true });
    const single = await inTrouble();

    expect(await lasting.connection.systemPrompt("Be kind.")).toBe(
      `Be kind.\n\n${standingInstruction}`,
    );
    expect(await single.connection.systemPrompt("Be kind.")).toBe("Be kind.");
  });
});
