import { describe, expect, it } from "vitest";

import { contextCommand, type ContextSwitch } from "../../src/adapters/context-command.ts";
import { contextCompletions } from "../../src/adapters/context-completions.ts";
import type { ContextSession, ListedObject } from "../../src/session/context-session.ts";

type State = ListedObject["state"];

interface Fields {
  readonly isInView?: boolean;
  readonly nickname?: string;
  readonly context_tool?: boolean;
  readonly presence?: string;
  readonly size?: number;
  readonly kept_in_part?: boolean;
}

/** An object as a session lists it. */
function object(handle: string, state: State, name: string, fields: Fields = {}): ListedObject {
  const { isInView = false, ...rest } = fields;
  const isFile = handle.startsWith("f");
  const body = {
    id: `id-${handle}`,
    type: isFile ? "file" : "toolcall",
    char_count: 10,
    ...(isFile ? { path: `/work/${name}` } : { args_display: name }),
    ...rest,
  };
  return { handle, state, isInView, stored: { body, version: 1 } } as unknown as ListedObject;
}

/** A session that knows these objects, in the order in which they became known. */
function sessionOf(objects: readonly ListedObject[]): ContextSession {
  const activeCount = objects.filter(({ state }) => state !== "inactive").length;
  const status = async () => await Promise.resolve({ objects, activeCount });
  return { workspace: "/work", status } as unknown as ContextSession;
}

async function run(args: string, objects: readonly ListedObject[]): Promise<string> {
  const host: ContextSwitch = {
    host: "Pi",
    command: "context",
    isOn: () => true,
    turn: async () => await Promise.resolve(""),
    session: async () => await Promise.resolve(sessionOf(objects)),
    figures: async () => await Promise.resolve(undefined),
    sendsOwn: () => undefined,
    isCompacted: () => false,
    inspect: async () => await Promise.resolve("the page"),
  };
  return await contextCommand(args, host);
}

async function valuesFor(args: string, objects: readonly ListedObject[]) {
  return (await contextCompletions(args, sessionOf(objects))).map(({ value }) => value);
}

const few: readonly ListedObject[] = [
  object("f1", "inactive", "src/cart.mjs"),
  object("t1", "active", "activate: f1", { context_tool: true }),
  object("t2", "inactive", "bash: npm test", { isInView: true }),
  object("f2", "active", "src/discounts.mjs", { nickname: "codes" }),
  object("f10", "pinned", "docs/plan.md"),
];

/** A number of objects that no terminal shows at once. */
const many: readonly ListedObject[] = Array.from({ length: 120 }, (_, index) =>
  object(`f${index + 1}`, index < 3 ? "active" : "inactive", `src/m${index + 1}.mjs`),
);

describe("the list of the user's command", () => {
  it("says which results are kept in part", async () => {
    const listed = await run("", [object("t4", "active", "bash: seq 9", { kept_in_part: true })]);

    expect(listed).toContain("10 chars of a longer output, kept in part, v1");
  });

  it("has the pinned, active and shown objects first, then the newest", async () => {
    const listed = await run("", [...few, object("t3", "inactive", "bash: ls")]);

    const handles = listed.split("\n").map((line) => line.split(" ")[0]);
    expect(handles.slice(1)).toEqual(["f10", "f2", "t2", "t3", "f1"]);
  });

  it.each([
    ["a file that was only named", { presence: "unread", size: 12 }, "12 bytes, not read, v1"],
    ["a file of unknown size", { presence: "unread" }, "size not known, not read, v1"],
    ["a file that is not text", { presence: "non_text", size: 7 }, "7 bytes, not text, v1"],
    ["a deleted file", { presence: "missing" }, "deleted, v1"],
    ["a text", {}, "10 chars, v1"],
  ])("has the size of %s", async (_, fields, size) => {
    const [, listed] = (await run("", [object("f1", "inactive", "a.ts", fields)])).split("\n");

    expect(listed).toBe(`f1    inactive a.ts  ${size}`);
  });

  it("has no calls of the context tools, and its counts are those of the listed objects", async () => {
    const listed = await run("", few);

    expect(listed).toMatch(/^2 of 4 known objects are active\.\n/u);
    expect(listed).not.toContain("t1");
  });

  it("says that nothing is known if there are only calls of the context tools", async () => {
    expect(await run("", few.slice(1, 2))).toBe("No objects are known yet.");
  });

  it("shows at most 40 objects, and says how many are left out and how to see them", async () => {
    const listed = (await run("list", many)).split("\n");

    expect(listed).toHaveLength(42);
    expect(listed[0]).toBe("3 of 120 known objects are active.");
    expect(listed.slice(1, 5).map((line) => line.split(" ")[0])).toEqual([
      "f3",
      "f2",
      "f1",
      "f120",
    ]);
    expect(listed.at(-1)).toBe(
      "80 more objects are inactive. /context list all shows them too; /context show HANDLE shows one.",
    );
  });

  it("leaves out no object that is in view, however many there are", async () => {
    const active = many.map((one) => ({ ...one, state: "active" as const }));

    expect((await run("", active)).split("\n")).toHaveLength(121);
  });

  it("shows all of them with `list all`", async () => {
    expect((await run("list all", many)).split("\n")).toHaveLength(121);
  });
});

describe("the completions of the user's command", () => {
  it("are its verbs, each with a description", async () => {
    const all = await contextCompletions("", undefined);
    const some = await contextCompletions("sh", undefined);

    expect(all.map(({ label }) => label)).toEqual(
      expect.arrayContaining([
        "list",
        "show",
        "activate",
        "deactivate",
        "pin",
        "unpin",
        "name",
        "note",
      ]),
    );
    expect(all.every(({ description }) => description.length > 10)).toBe(true);
    // After the blank the user types the handle.
    expect(some.map(({ value }) => value)).toEqual(["show ", "share "]);
  });

  it("are none for a verb or a handle that is complete, so that Enter runs the command", async () => {
    expect(await valuesFor("restore", few)).toEqual([]);
    expect(await valuesFor("show f1", few)).toEqual([]);
    expect(await valuesFor("show codes", few)).toEqual([]);
    expect(await valuesFor("pin src/cart.mjs", few)).toEqual([]);
    expect(await valuesFor("deactivate src/discounts.mjs", few)).toEqual([]);
  });

  it("are the handles to which the verb applies, in the order of the list", async () => {
    expect(await valuesFor("note ", few)).toEqual(["note f10", "note f2", "note t2", "note f1"]);
    expect(await valuesFor("show ", few)).toEqual(["show f10", "show f2", "show t2", "show f1"]);
    expect(await valuesFor("activate ", few)).toEqual(["activate t2", "activate f1"]);
    expect(await valuesFor("deactivate ", few)).toEqual(["deactivate f10", "deactivate f2"]);
    expect(await valuesFor("pin ", few)).toEqual(["pin f2", "pin t2", "pin f1"]);
    expect(await valuesFor("unpin ", few)).toEqual(["unpin f10"]);
  });

  it("find an object by the beginning of its handle, and by a part of its name", async () => {
    expect(await valuesFor("show t", few)).toEqual(["show t2", "show f2", "show f1"]);
    expect(await valuesFor("show PLAN", few)).toEqual(["show f10"]);
    expect(await valuesFor("show cod", few)).toEqual(["show f2"]);
    expect(await valuesFor("show test", few)).toEqual(["show t2"]);
  });

  it("name each object by its state and name", async () => {
    const [found] = await contextCompletions("show cod", sessionOf(few));

    expect(found).toEqual({
      value: "show f2",
      label: "f2",
      description: "active  src/discounts.mjs (codes)",
    });
  });

  it("name a second object only if the verb takes several", async () => {
    expect(await valuesFor("activate f1 np", few)).toEqual(["activate f1 t2"]);
    expect(await valuesFor("activate f1 ", few)).toEqual([]);
    expect(await valuesFor("show f1 np", few)).toEqual([]);
    expect(await valuesFor("name f1 np", few)).toEqual([]);
    expect(await valuesFor("note f1 np", few)).toEqual([]);
  });

  it("are none for other words, for an unknown verb, and for handles without a session", async () => {
    expect(await valuesFor("frob f", few)).toEqual([]);
    expect(await valuesFor("off f", few)).toEqual([]);
    expect(await contextCompletions("show ", undefined)).toEqual([]);
    expect(await valuesFor("list ", few)).toEqual(["list all"]);
  });

  it("are bounded", async () => {
    expect(await valuesFor("show ", many)).toHaveLength(50);
  });
});
