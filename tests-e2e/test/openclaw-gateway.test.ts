import { openLoopbackServer } from "@self-context-manager/evaluate/loopback";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { oddFiles, type OddSides } from "../src/odd/odd-scenario.ts";
import { oddScenarios } from "../src/odd/odd-scenarios.ts";
import { oddChecks } from "../src/odd/odd-tests.ts";
import { openClawOddSide } from "../src/odd/openclaw-odd-side.ts";
import { openClawProblem } from "../src/openclaw/install-openclaw.ts";
import {
  installedGateway,
  letterTurn,
  managedLetterTurn,
  pluginTarball,
  unpackedProblem,
} from "../src/openclaw/installed-plugin.ts";
import { longFiles, longWork } from "../src/openclaw/long-work.ts";
import {
  changesOf,
  errorsOf,
  type PlayedGateway,
  playedGateway,
} from "../src/openclaw/played-gateway.ts";
import { illegalities } from "../src/wire-rules.ts";

const problem = unpackedProblem() ?? (await openClawProblem());

const playable = oddScenarios.filter(({ needs }) => needs === undefined);

/**
 * Long turns take a quarter of a minute, and the odd answers need a second gateway, which takes a minute. They run if the
 * adapter changes, and in the long run.
 */
const runsLong = runsEveryForm("adapter-openclaw");

/** Expects that the requests of a session are legal, and returns the places where their beginning changed. */
function soundRequests(played: PlayedGateway, session?: string): readonly number[] {
  const requests = played.requestsOf(session);
  expect(errorsOf(played, requests)).toEqual([]);
  return changesOf(requests);
}

describe.skipIf(problem !== undefined)("managed context in a gateway of OpenClaw", () => {
  let managed: PlayedGateway;
  let stores: string;

  beforeAll(async () => {
    const other = await openLoopbackServer(
      async (body, _path, outgoing) => {
        const { text } = JSON.parse(body.toString("utf8"));
        await Promise.resolve(outgoing.end(text.replaceAll("secret-4711", "[masked]")));
      },
      (error, outgoing) => void outgoing.writeHead(500).end(String(error)),
    );
    const masks = {
      folder: join(import.meta.dirname, "..", "src", "openclaw", "other-plugin"),
      settings: { url: other.origin },
    };
    managed = await installedGateway([`npm-pack:${pluginTarball}`], {
      files: { ...longFiles, ...oddFiles },
      others: { other: masks },
    });
    stores = join(managed.gateway.state, "..", ".local", "share", "self-context-manager");
    return async () => await other[Symbol.asyncDispose]();
  });

  afterAll(async () => {
    await managed?.[Symbol.asyncDispose]();
  });

  it("is installed from the tarball by one command, without a registry, and manages the context", async () => {
    expect(await letterTurn(managed)).toEqual(managedLetterTurn);
  });

  it("shows files and outputs as objects, which the model activates and deactivates", async () => {
    const session = "agent:main:objects";

    const requests = await managed.turn(
      "look",
      [
        [["read", { path: "f0.txt" }]],
        [
          [
            "edit",
            { path: "f0.txt", edits: [{ oldText: "file0 line 3 ", newText: "changed line 3 " }] },
          ],
        ],
        [["exec", { command: "cat f1.txt; exit 3" }]],
        [["deactivate", { id: "f1" }]],
        [["activate", { id: "f0.txt" }]],
      ],
      session,
    );

    const last = requests.at(-1)?.text ?? "";
    expect(requests[1]?.text).toMatch(/f1 f0\.txt v1\n~~~\nfile0 line 0 /u);
    expect(last).toContain("changed line 3 ");
    expect(last).toMatch(/t\d+ failed/u);
    expect(last.split("file0 line 7 ")).toHaveLength(2);
    expect(soundRequests(managed, session)).toEqual([]);
  });

  it.runIf(runsLong)("ends epochs within a turn", async () => {
    const session = "agent:main:long";
    const work = longWork.slice(0, 36);

    await managed.turn("work", work, session);
    await managed.turn("look again", longWork.slice(0, 3), session);
    await managed.turn("and now", [], session);

    const changed = soundRequests(managed, session);
    expect(changed.filter((index) => index > 0 && index < work.length).length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(7);
    const last = managed.requestsOf(session).at(-1)?.text ?? "";
    expect(last.split("file1 line 7 ").length - 1).toBeLessThan(2);
  });

  it("keeps two sessions apart that work at the same time with the same texts", async () => {
    const sessions = ["agent:main:left", "agent:main:right"];

    for (const turn of ["first", "second"])
      await Promise.all(
        sessions.map(
          async (session, index) =>
            await managed.turn(
              turn,
              [0, 1, 2].map(
                (step) => [["exec", { command: `echo ${turn} side${index} step${step}` }]] as const,
              ),
              session,
            ),
        ),
      );

    for (const [index, session] of sessions.entries()) {
      const text = managed.requestsOf(session).at(-1)?.text ?? "";
      for (const turn of ["first", "second"]) expect(text).toContain(`${turn} side${index} step2`);
      expect(text).not.toContain(`side${1 - index} step`);
      expect(soundRequests(managed, session)).toEqual([]);
    }
  });

  it.runIf(runsLong)(
    "continues in the same turn after the provider refused a request as too long",
    async () => {
      const session = "agent:main:full";
      const steps = longWork.slice(0, 15);
      managed.limitTo(60_000);

      await managed.turn("work", steps, session);
      const before = managed.refused;
      await managed.turn("and now", [[["exec", { command: "echo after it" }]]], session);
      managed.limitTo(Number.POSITIVE_INFINITY);

      expect(before).toBeGreaterThan(0);
      expect(managed.refused).toBe(before);
      expect(managed.requestsOf(session).at(-1)?.text).toContain("after it");
      expect(managed.requestsOf(session).flatMap(({ wire }) => illegalities(wire))).toEqual([]);
    },
  );

  it("shows a result as another plugin has changed it, also when it is activated again", async () => {
    const session = "agent:main:masked";

    const requests = await managed.turn(
      "look",
      [
        [["exec", { command: "echo the word is secret-4711" }]],
        [["deactivate", { id: "t1" }]],
        [["activate", { id: "t1" }]],
      ],
      session,
    );
    const store = await readFile(join(stores, "store.sqlite"));

    for (const { text } of requests.slice(1)) expect(text).toContain("the word is [masked]");
    expect(requests.map(({ text }) => text).join("\n")).not.toContain("the word is secret-4711");
    expect(store.includes("the word is secret-4711")).toBe(false);
  });

  it("shows what OpenClaw shows of a long output, and other lines when they are activated", async () => {
    const session = "agent:main:cut";

    const requests = await managed.turn(
      "look",
      [
        [
          [
            "exec",
            {
              command:
                'for i in $(seq 1 1400); do echo "row $i of a long output, which OpenClaw cuts"; done',
            },
          ],
        ],
        [["activate", { id: "t1", from: 1390, to: 1392 }]],
      ],
      session,
    );

    expect(requests[1]?.text).toMatch(/t1 ok lines 1-\d+ of 14\d\d\n~~~\nrow 1 of/u);
    expect(requests[1]?.text).not.toContain("row 1391 of");
    expect(requests[2]?.text).toContain("row 1391 of");
    expect(soundRequests(managed, session)).toEqual([]);
  });

  it("removes what is not pinned when the user compacts, and keeps the chat", async () => {
    const session = "agent:main:compacted";
    await managed.turn(
      "look",
      [
        [["exec", { command: "cat f4.txt" }]],
        [["exec", { command: "cat f5.txt" }]],
        [["pin", { id: "t2" }]],
      ],
      session,
    );

    await managed.gateway.call("sessions.compact", { key: session });
    const [after] = await managed.turn("and now", [], session);

    expect(after?.text).not.toContain("file4 line 7 ");
    expect(after?.text).toContain("file5 line 7 ");
    expect(after?.text).toMatch(/ look\n/u);
    expect(after?.wire === undefined ? [] : illegalities(after.wire)).toEqual([]);
  });

  it("begins empty after a reset", async () => {
    const session = "agent:main:again";
    await managed.turn("look", [[["read", { path: "f3.txt" }]]], session);

    await managed.gateway.call("sessions.reset", { key: session });
    const [first] = await managed.turn("from the start", [], session);

    expect(first?.messages).toHaveLength(1);
  });

  it("has stored the sessions, their files and their views", async () => {
    await using store = await openSqliteStore({ path: join(stores, "store.sqlite") });

    const { items: sessions } = await store.find({ where: { type: "session" }, limit: 100 });
    const { items: found } = await store.find({ where: { type: "file" }, limit: 100 });

    expect(sessions.length).toBeGreaterThan(6);
    const paths = found.map(({ body }) => body["path"]);
    expect(new Set(paths).size).toBe(paths.length);
    expect(managed.gateway.log).not.toMatch(/self-context-manager: |degraded to "legacy"/u);
  });

  // These sessions give the user notices, so they come after the test of the log.
  describe.runIf(runsLong)("beside a gateway without the plugin", () => {
    let plain: PlayedGateway;

    beforeAll(async () => {
      plain = await playedGateway({ files: oddFiles });
    });

    afterAll(async () => {
      await plain?.[Symbol.asyncDispose]();
    });

    for (const scenario of playable) {
      let played: Promise<OddSides> | undefined;
      const playBoth = async (): Promise<OddSides> => {
        const gateways = [plain, managed] as const;
        const [other, own] = await Promise.all(
          gateways.map(async (gateway) => await openClawOddSide(gateway, scenario)),
        );
        if (other === undefined || own === undefined) throw new Error("a side was not played");
        return { plain: other, managed: own };
      };
      // oxlint-disable-next-line vitest/expect-expect -- The checks contain the assertions.
      it.each(Object.entries(oddChecks(scenario)))(`${scenario.name}: %s`, async (_, assert) =>
        assert(await (played ??= playBoth())),
      );
    }
  });
});
