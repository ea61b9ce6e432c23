// The checks of a scenario run inside of a test.
/* oxlint-disable vitest/no-standalone-expect */
import type { Reply } from "@self-context-manager/evaluate/loopback";
import { expect } from "vitest";

import { say, use } from "../answers.ts";
import { numberedLines } from "../made-files.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { countIn, lastRequest, requestAt } from "../sent-lines.ts";

/** Returns a session that continues on another store than the one that it began on. */
function withoutStore(
  name: string,
  lose: (stage: Stage) => Promise<void>,
  options: Pick<Scenario, "environment" | "isOtherForm"> = {},
): Scenario {
  return {
    name,
    ...options,
    files: () => ({
      "a.txt": numberedLines("first", 40),
      "b.txt": numberedLines("second", 40),
      "c.txt": numberedLines("third", 40),
    }),
    async play(stage) {
      const { isManaged, prompt } = stage;
      await prompt(
        "read",
        use(["read", { path: "a.txt" }]),
        use(["read", { path: "b.txt" }]),
        isManaged ? use(["activate", { id: "f2" }]) : use(["read", { path: "absent" }]),
        say("read"),
      );
      await lose(stage);
      await prompt(
        "and now",
        use(["read", { path: "c.txt" }]),
        // The handle of the second file in the store that is gone.
        isManaged ? use(["activate", { id: "f2" }]) : use(["read", { path: "absent" }]),
        say("read"),
      );
      await prompt("once more", say("still there"));
      await stage.resume();
      await prompt("after another resume", say("still there"));
    },
    readsStore: options.environment === undefined,
    checks: {
      ...(options.environment === undefined
        ? {
            "has everything in the new store": ({ managed }) => {
              for (const part of ["first line 40 ", "second line 40 ", "third line 40 "])
                expect(managed.stored).toContain(part);
            },
          }
        : {}),
      "shows the contents of the host's record": ({ plain, managed }) => {
        for (const line of ["first line 40 ", "second line 40 ", "third line 40 "]) {
          expect(countIn(lastRequest(plain), line)).toBe(1);
          expect(countIn(lastRequest(managed), line)).toBeGreaterThanOrEqual(1);
        }
        expect(requestAt(managed, 5).text).toContain("first line 40 ");
      },
      "shows no other file under an old handle": ({ managed }) => {
        const { messages } = requestAt(managed, 7);
        const shown = messages.map(({ text }) => text).findLast((text) => text.includes("f2"));
        expect(shown ?? "").not.toMatch(/f2 (a|c)\.txt/u);
      },
      "notifies the user once": ({ managed }) => {
        expect(managed.notices.filter((text) => /self-context-manager/u.test(text))).toHaveLength(
          1,
        );
      },
    },
  };
}

/** The numbers of the files whose outputs are compacted. */
const parts: readonly number[] = Array.from({ length: 10 }, (_, index) => index + 1);

/** Stores that are gone, elsewhere or locked. */
export const stores: readonly Scenario[] = [
  withoutStore("a store that is deleted before a resume", async ({ loseStore, resume }) => {
    await resume();
    await loseStore();
    await resume();
  }),
  withoutStore(
    "a session file from another machine",
    async ({ moveHouse, resume }) => {
      await moveHouse();
      await resume();
    },
    { isOtherForm: true },
  ),
  withoutStore("a store in memory", async ({ resume }) => await resume(), {
    environment: { SCM_STORE_KIND: "memory" },
  }),
  withoutStore("a store that is deleted while it is used", async ({ loseStore }) => {
    await loseStore();
  }),
  ...[
    ["a read", use(["read", { path: "c.txt" }])] as const,
    ["a command", use(["bash", { command: "cat c.txt && ls c.txt" }])] as const,
    ["a write", use(["write", { path: "d.txt", content: numberedLines("third", 40) }])] as const,
  ].map(([tool, call], index): Scenario => ({
    name: `a store that is deleted before the result of ${tool}`,
    isOtherForm: index > 0,
    files: () => ({
      "a.txt": numberedLines("first", 40),
      "b.txt": numberedLines("second", 40),
      "c.txt": numberedLines("third", 40),
    }),
    async play({ isManaged, prompt, loseStore }) {
      const activate = (id: string): Reply =>
        isManaged ? use(["activate", { id }]) : use(["read", { path: "absent" }]);
      await prompt(
        "read",
        use(["read", { path: "a.txt" }]),
        use(["read", { path: "b.txt" }]),
        activate("f2"),
        async () => {
          await loseStore();
          return call;
        },
        activate("f1"),
        activate("f2"),
        say("read"),
      );
      await prompt("and now", say("done"));
    },
    readsStore: true,
    checks: {
      "shows no other file under an old handle": ({ managed }) => {
        const { text, messages } = lastRequest(managed);
        expect(text).not.toMatch(/\bf[12] [cd]\.txt/u);
        const asked = messages.flatMap(({ results }) => [...results]);
        for (const [call, result] of asked)
          if (["call_5", "call_6"].includes(call)) expect(result).not.toContain("third line");
      },
      "has everything in the new store": ({ managed }) => {
        for (const part of ["first line 40 ", "second line 40 ", "third line 40 "])
          expect(managed.stored).toContain(part);
      },
      "sends each content once": ({ managed }) => {
        for (const part of ["first line 40 ", "second line 40 ", "third line 40 "])
          expect(countIn(lastRequest(managed), part)).toBe(1);
      },
      "notifies the user once": ({ managed }) => {
        expect(managed.notices.filter((text) => /self-context-manager/u.test(text))).toHaveLength(
          1,
        );
      },
    },
  })),
  {
    name: "a store that is lost after a compaction by the user",
    files: () =>
      Object.fromEntries(
        parts.map((part) => [`part-${part}.txt`, numberedLines(`part ${part}`, 700)]),
      ),
    async play({ isManaged, prompt, compact, loseStore, resume, allow }) {
      for (const part of parts) {
        await prompt(
          `part ${part}`,
          use(["bash", { command: `cat part-${part}.txt` }]),
          say(`t${part} holds part ${part}`),
        );
      }
      await compact();
      await prompt("after the compaction", say("t1 is the part that matters"));
      await resume();
      await loseStore();
      await resume();
      // The new store does not have what the summary replaced, and the handles are longer.
      allow(2_000);
      const activate = (id: string): Reply =>
        isManaged ? use(["activate", { id }]) : use(["read", { path: "absent" }]);
      await prompt("and now", activate("t1"), activate(`t${parts.length}`), say("done"));
    },
    checks: {
      "names no other output by an old handle": ({ managed }) => {
        const { messages } = lastRequest(managed);
        const results = messages.flatMap((message) => [...message.results.values()]).slice(-2);
        expect(results.map((text) => text.slice(0, 21))).toEqual([
          "No object is known as",
          "No object is known as",
        ]);
      },
      "shows the contents of the host's record": ({ plain, managed }) => {
        for (const side of [plain, managed])
          expect(countIn(lastRequest(side), `part ${parts.length} line 700 `)).toBe(1);
      },
    },
  },
  ...(["contents", "long texts"] as const).map((part, index): Scenario => ({
    name: `a store whose ${part} the disk damages before a resume`,
    isOtherForm: index > 0,
    files: () => ({ "a.txt": numberedLines("first", 40), "b.txt": numberedLines("second", 40) }),
    async play({ isManaged, prompt, damageStore, resume }) {
      await prompt("read", use(["read", { path: "a.txt" }]), say("read"));
      await resume();
      await damageStore(part);
      await resume();
      await prompt(
        "and now",
        use(["read", { path: "b.txt" }]),
        isManaged ? use(["activate", { id: "f1" }]) : use(["read", { path: "absent" }]),
        say("read too"),
      );
      await prompt("once more", say("still there"));
      await resume();
      await prompt("after another resume", say("still there"));
    },
    checks: {
      "shows the contents of the host's record": ({ plain, managed }) => {
        for (const line of ["first line 40 ", "second line 40 "]) {
          expect(countIn(lastRequest(plain), line)).toBe(1);
          expect(countIn(lastRequest(managed), line)).toBeGreaterThanOrEqual(1);
        }
      },
      "names the damage and the command once in each process": ({ managed }) => {
        const notices = managed.notices.filter((text) => /self-context-manager/u.test(text));
        expect(notices).toHaveLength(2);
        for (const notice of notices) expect(notice).toMatch(/is damaged: .*scm doctor/u);
      },
    },
  })),
  {
    name: "a store that another process locks",
    files: () => ({ "a.txt": numberedLines("first", 40), "b.txt": numberedLines("second", 40) }),
    async play({ prompt, lockStore }) {
      await prompt("read", use(["read", { path: "a.txt" }]), say("read"));
      {
        await using _lock = await lockStore();
        await prompt(
          "while it is locked",
          use(["read", { path: "b.txt" }]),
          use(["write", { path: "c.txt", content: "written under the lock\n" }]),
          say("read too"),
        );
      }
      await prompt("after the lock", use(["bash", { command: "echo work" }]), say("done"));
      await prompt("and now", say("done"));
      await prompt(
        "edit",
        use([
          "edit",
          { path: "c.txt", edits: [{ oldText: "under the lock", newText: "after it" }] },
        ]),
        say("edited"),
      );
    },
    readsStore: true,
    checks: {
      "has the instruction in every request": ({ managed }) => {
        for (const { instruction } of managed.requests) expect(instruction).toContain("# Objects");
      },
      "stores what was written while the store was locked": ({ managed }) => {
        expect(managed.stored).toContain("written under the lock");
        expect(managed.stored).toContain("written after it");
      },
      "sends the contents while the store is locked": ({ managed }) =>
        expect(requestAt(managed, 4).text).toContain("second line 40 "),
      "ingests later what it missed": ({ managed }) => {
        expect(managed.stored).toContain("while it is locked");
        expect(managed.stored).toContain("read too");
        expect(managed.stored).toContain("second line 40 ");
      },
      "notifies the user once": ({ managed }) => {
        expect(managed.notices.filter((text) => /self-context-manager/u.test(text))).toHaveLength(
          1,
        );
      },
    },
  },
];
