import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";

import { objectsOfType } from "./objects-of-type.ts";
import { storeWithCalls } from "./store-with-calls.ts";

describe("scm view", () => {
  test("lists the calls of a session, and verifies them with --verify", async () => {
    await using store = await storeWithCalls();

    const { code, stdout, stderr } = await store.scm("view", "s1");
    const verified = (await store.scm("view", "s1", "--verify")).stdout;

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^CALL +TIME +MESSAGES +TOKENS +LAYOUT +EPOCH +WHY/u);
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^ +1 +20\d\d-.* 1 +\d+ +epoch +1$/u);
    expect(lines[4]).toMatch(/epoch +2 +budget: removed t1/u);
    expect(verified.replaceAll(/ +(?:VERIFIED|yes)\b/gu, "").replaceAll(/ +/gu, " ")).toBe(
      stdout.replaceAll(/ +/gu, " "),
    );
    expect(verified.match(/ yes\b/gu)).toHaveLength(4);
  });

  test("lists the calls from the view records alone, even if other objects are missing", async () => {
    await using store = await storeWithCalls();
    const database = new DatabaseSync(store.at);
    database.exec(`DELETE FROM versions WHERE object IN ${objectsOfType("system_prompt")}`);
    database.close();

    const list = await store.scm("view", "s1", "--json");
    const verified = await store.scm("view", "s1", "--verify");

    expect(list.code).toBe(0);
    expect(JSON.parse(list.stdout)).toMatchObject(
      store.handedOver.map((messages, index) => ({
        call: index + 1,
        message_count: messages.length,
        problems: [],
      })),
    );
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain("NO");
  });

  test("reports a damaged view in the list", async () => {
    await using store = await storeWithCalls();
    const database = new DatabaseSync(store.at);
    const damage = "UPDATE versions SET object_hash = zeroblob(32) WHERE version = 2";
    database.exec(`${damage} AND object IN ${objectsOfType("view")}`);
    database.close();

    const { code, stderr } = await store.scm("view", "s1");

    expect(code).toBe(1);
    expect(stderr).toMatch(/version 2 of object \S+ is not as it was stored/u);
  });

  test("prints the messages that the host got, exactly, as JSON", async () => {
    await using store = await storeWithCalls();

    for (const [index, messages] of store.handedOver.entries()) {
      const { code, stdout } = await store.scm("view", "s1", String(index + 1), "--json");

      expect(code).toBe(0);
      const view = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
      expect(JSON.stringify(view["messages"])).toBe(JSON.stringify(messages));
      expect(view["verified"]).toBe(true);
      expect(view["system_prompts"]).toMatchObject([{ origin: "host", text: "You help." }]);
    }
  });

  test("prints messages for a person, and their texts as they are, except to a terminal", async () => {
    await using store = await storeWithCalls();

    const { stdout } = await store.scm("view", "s1", "2");
    const onTerminal = await store.scmOnTerminal("view", "s1", "2");

    expect(stdout).toBe(
      [
        "--- system (host)",
        "You help.",
        "--- 1 user",
        "please build",
        "--- 2 assistant",
        '(call c1) bash {"command":"make"}',
        "--- 3 result of bash c1 ok",
        "t1 ok",
        "~~~",
        ...Array.from({ length: 150 }, (_, line) => `built \u001B[31m file ${line}`),
        "~~~",
        "",
      ].join("\n"),
    );
    expect(onTerminal.stdout).toBe(stdout.replaceAll("\u001B", String.raw`\u001b`));
  });

  test("shows the source of each message", async () => {
    await using store = await storeWithCalls();

    const text = (await store.scm("view", "s1", "3", "--entries")).stdout;
    const json = JSON.parse((await store.scm("view", "s1", "3", "--entries", "--json")).stdout) as {
      entries: readonly Readonly<Record<string, unknown>>[];
    };

    expect(text).toMatch(/^1 +user +turn 1 +\d+ +unchanged$/mu);
    expect(text).toMatch(/^3 +result +turn 1, step 1, call 1 +t1@1 +\d+ +t1 v1 whole$/mu);
    expect(text).toMatch(/^verified +yes$/mu);
    expect(json.entries[2]).toMatchObject({
      what: "result",
      versions: [{ handle: "t1", version: 1, id: "c1" }],
    });
  });

  test.each([
    [["view", "s1", "9"], 1, "there is no call 9; the calls are 1 to 4"],
    [["view", "s1", "0"], 2, '"0" is not a call; it must be a whole number above 0'],
    [["view", "s1", "last"], 2, '"last" is not a call'],
    [["view", "nobody"], 1, "the store has no session nobody"],
    [["view", "s1", "--entries"], 2, "--entries needs a CALL"],
    [["view", "s1", "1", "--verify"], 2, "--verify works without CALL"],
    [["view", "empty"], 1, "session empty has no calls"],
  ])("reports what it cannot show: %j", async (argv, expected, message) => {
    await using store = await storeWithCalls();

    const { code, stdout, stderr } = await store.scm(...argv);

    expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("reports damage by object and version, shows the rest, and fails", async () => {
    await using store = await storeWithCalls();
    const database = new DatabaseSync(store.at);
    const damage = "UPDATE versions SET object_hash = zeroblob(32)";
    database.exec(`${damage} WHERE object IN ${objectsOfType("system_prompt")}`);
    database.close();

    const { code, stdout, stderr } = await store.scm("view", "s1", "1");
    const list = await store.scm("view", "s1", "--verify");

    expect(code).toBe(1);
    expect(stdout).toContain("--- 1 user\nplease build\n");
    expect(stderr).toMatch(/version 1 of object \S+ is not as it was stored/u);
    expect(stderr).toContain("call 1 could not be verified completely");
    expect(list.code).toBe(1);
    expect(list.stdout).toContain("epoch       1  NO");
  });
});

describe("scm diff", () => {
  test("reports that a call only appended", async () => {
    await using store = await storeWithCalls();

    const { code, stdout } = await store.scm("diff", "s1", "1", "3");

    expect(code).toBe(0);
    expect(stdout).toBe("Appended only: call 3 begins with the 1 message of call 1 and adds 4.\n");
  });

  test("shows which byte changed first, and why", async () => {
    await using store = await storeWithCalls();

    const { stdout } = await store.scm("diff", "s1", "3", "4");
    const json = JSON.parse((await store.scm("diff", "s1", "3", "4", "--json")).stdout) as {
      first: { message: number; byte: number; offset: number };
    };

    expect(stdout).toContain("differ first in message 3, byte ");
    expect(stdout).toContain("2 messages before it are the same");
    expect(stdout).toContain(
      "- an epoch ended before call 4: the view would have exceeded its budget; removed from the view: t1",
    );
    expect(stdout).toMatch(
      /- the message changed from result of turn 1.* t1 v1 whole to result .*/u,
    );
    const [one, other] = [store.handedOver[2], store.handedOver[3]].map((all) =>
      Buffer.from(JSON.stringify(all)),
    );
    const { offset } = json.first;
    expect(one?.subarray(0, offset)).toEqual(other?.subarray(0, offset));
    expect(one?.[offset]).not.toBe(other?.[offset]);
  });

  test("reports that nothing changed, and refuses a call that does not exist", async () => {
    await using store = await storeWithCalls();

    expect((await store.scm("diff", "s1", "2", "2")).stdout).toBe(
      "The messages of call 2 and call 2 are the same, byte for byte.\n",
    );
    expect(await store.scm("diff", "s1", "2", "7")).toEqual({
      code: 1,
      stdout: "",
      stderr: "scm diff: there is no call 7; the calls are 1 to 4\n",
    });
  });
});
