import { markdownParser } from "@self-context-manager/documents";
import { documentUpkeep } from "@self-context-manager/links";
import { objectId, sealObject, silentLogger } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { contextCommand } from "../../src/adapters/context-command.ts";
import { nameWeights, shortName } from "../../src/render/short-name.ts";
import { oneCall } from "./script-history.ts";
import { openTestSession, type TestSession } from "./test-session.ts";

const long = "고객사/2026년/계약 관련 문서 모음/최종 검토본/";
const files = {
  [`/work/${long}3분기 실적 보고서.md`]: "# 3\n",
  [`/work/${long}2분기 실적 보고서.md`]: "# 2\n",
  "/work/설계 개요.md": "# 설계\n",
  "/work/packages/core/src/session/context-session.ts": "1\n",
  "/work/packages/links/src/session/context-session.ts": "2\n",
};

async function openWithFiles(): Promise<TestSession> {
  const opened = await openTestSession({ files });
  for (const path of Object.keys(files)) await opened.session.read({ path });
  return opened;
}

describe("a name that a line shows", () => {
  it.each([
    ["고객사/2026년/…/3분기 실적 보고서.md", "f1"],
    ["f2 고객사/2026년/…/2분기 실적 보고서.md v1", "f2"],
    ["…/2분기 실적 보고서.md", "f2"],
    ["설계 개요.md", "f3"],
    ["f5 …/context-session.ts", "f5"],
  ])("means its object: %s", async (name, handle) => {
    const { session } = await openWithFiles();
    const { objects } = await session.status();
    const id = objects.find((one) => one.handle === handle)?.stored.body.id;

    for (const form of ["NFC", "NFD"]) {
      const given = name.normalize(form);
      const answers = [
        await session.deactivate(given),
        await session.activate(given),
        await session.pin(given),
        await session.unpin(given),
      ];

      expect(answers.map(({ ok, text }) => [ok, text])).toEqual(
        answers.map(() => [true, expect.stringContaining(`${handle} `)]),
      );
      expect(await session.inspect(given)).toMatchObject({ body: { id } });
    }
  });

  it("of several objects is refused with all of them", async () => {
    const { session } = await openWithFiles();

    const answer = await session.activate("…/context-session.ts");

    expect(answer).toEqual({
      ok: false,
      text: '"…/context-session.ts" is the shown name of several objects: f4 packages/core/src/session/context-session.ts, f5 packages/links/src/session/context-session.ts. Give a handle.',
      effects: [],
    });
  });

  it("means its object, or its answer lists the object, for any two names", async () => {
    const letters = fc.constantFrom(
      "a",
      "b1",
      "ü",
      "é".normalize("NFD"),
      "한",
      "보고",
      "文",
      "й",
      "👩‍💻",
      "क्षि",
      " x",
      "-",
    );
    const segment = fc
      .array(letters, { minLength: 1, maxLength: 40 })
      .map((all) => `s${all.join("")}`);
    const path = fc
      .array(segment, { minLength: 1, maxLength: 3 })
      .map((all) => `${all.join("/")}.md`);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(path, { minLength: 2, maxLength: 4 }), async (paths) => {
        const contents = Object.fromEntries(paths.map((one) => [`/work/${one}`, "text\n"]));
        const { session } = await openTestSession({ files: contents });
        for (const one of paths) await session.read({ path: one });
        for (const { handle, stored } of (await session.status()).objects) {
          for (const weight of Object.values(nameWeights)) {
            const shown = shortName("/work", stored.body, weight);
            const { text } = await session.activate(shown);
            const pinned = await session.pin(`${handle} ${shown}`);

            expect([shown, text]).toEqual([shown, expect.stringContaining(`${handle} `)]);
            expect([pinned.ok, pinned.text.split(" ")[0]]).toEqual([true, handle]);
          }
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("of a tool call means it", async () => {
    const { session } = await openTestSession();
    await oneCall().ingest(session);
    const { objects } = await session.status();
    const call = objects.find(({ handle }) => handle === "t1")?.stored.body;
    const display = call?.["args_display"];
    const shown = typeof display === "string" ? display.replace(": ", " ") : "";

    expect(await session.inspect(shown)).toMatchObject({ body: { id: call?.id } });
    expect(await session.inspect(`${shown.slice(0, -2)}…`)).toMatchObject({
      body: { id: call?.id },
    });
  });

  it("can be given to the user's command, also with a number at its end", async () => {
    const { session } = await openTestSession({ files: { "/work/장 2": "둘\n" } });
    await session.read({ path: "장 2" });
    await session.deactivate("f1");
    const run = async (args: string): Promise<string> =>
      await contextCommand(args, {
        host: "test",
        command: "context",
        isOn: () => true,
        turn: async () => "",
        session: async () => session,
        figures: async () => undefined,
        sendsOwn: () => undefined,
        isCompacted: () => false,
        inspect: async () => "",
      });

    expect(await run("activate 장 2")).toBe("f1 장 2 is now active.");
    expect(await run("show 장 2")).toContain("둘");
    expect(await run("activate f1 9")).toContain("outside");
  });
});

async function openWithNotes(): Promise<TestSession & AsyncDisposable> {
  const store = memoryStore();
  const documents = documentUpkeep({
    store,
    parser: markdownParser,
    logger: silentLogger,
    later: (run, milliseconds) => void setTimeout(run, milliseconds),
  });
  const opened = await openTestSession({
    store,
    documents,
    files: {
      ["/work/분기 보고서.md".normalize("NFD")]: "매출은 Überschuss\n".normalize("NFD"),
      "/work/budget.md": "# Costs\n",
      "/work/plan.md": "[[budget]]\n",
    },
  });
  return {
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await documents[Symbol.asyncDispose]();
    },
  };
}

describe("a name with letters in another composition", () => {
  it("is found by its path and by the name of a link", async () => {
    await using opened = await openWithNotes();
    const { session } = opened;
    await session.read({ path: "분기 보고서.md".normalize("NFD") });

    for (const form of ["NFC", "NFD"]) {
      for (const name of ["분기 보고서.md", "분기 보고서", "/work/분기 보고서.md"])
        expect([name, await session.activate(name.normalize(form))]).toEqual([
          name,
          expect.objectContaining({ ok: true }),
        ]);
    }
  });

  it("is found outside of the workspace, and as a nickname", async () => {
    const { session, store } = await openTestSession();
    const form = "NFD";
    const note = {
      type: "note",
      locked: false,
      content: "x",
      provenance: { origin: "a test", generator: "human" },
    } as const;
    await store.commit([
      { object: sealObject({ ...note, id: objectId("n-1"), path: "/other/é.md".normalize(form) }) },
      { object: sealObject({ ...note, id: objectId("n-2"), nickname: "café".normalize(form) }) },
    ]);

    for (const name of ["/other/é.md", "café"])
      for (const given of [name.normalize("NFC"), name.normalize("NFD")])
        expect([given, (await session.activate(given)).ok]).toEqual([given, true]);
  });

  it("is one nickname: it is stored composed, and taken for both", async () => {
    const { session } = await openWithFiles();

    const first = await session.name("f1", "café".normalize("NFD"));
    const second = await session.name("f2", "café");

    expect([first.ok, second.ok]).toEqual([true, false]);
  });
});

it.each(["[[Note [1]]]", "[[Note [1]|the note]]", "Note [1]", "[[Note [1]#Part]]"])(
  "can have brackets: %s",
  async (name) => {
    await using opened = await openWithNotes();
    opened.files.set("/work/Note [1].md", "# Part\n");
    await opened.session.read({ path: "Note [1].md" });

    expect(await opened.session.activate(name)).toMatchObject({ ok: true });
  },
);

it("means a note that was read a moment ago by the name that a link has", async () => {
  await using opened = await openWithNotes();
  const { session } = opened;
  await session.recordNamed(["budget.md"]);
  await session.read({ path: "plan.md" });

  expect(await session.activate("budget")).toMatchObject({ ok: true });
});
