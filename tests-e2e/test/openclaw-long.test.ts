// Only long runs start these gateways, and only if OpenClaw can be installed.
/* oxlint-disable vitest/no-disabled-tests */
import type { WireRequest } from "@self-context-manager/evaluate/loopback";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

import { openClawProblem } from "../src/openclaw/install-openclaw.ts";
import {
  errorsOf,
  keptMessages,
  type PlayedGateway,
  playedGateway,
  type PlayedRequest,
  type PlayedStep,
} from "../src/openclaw/played-gateway.ts";
import { missingForXtdb, openTestNode } from "../src/stores/xtdb-node.ts";

const isLong = process.env["SCM_LONG"] === "1";
const isSkipped = !isLong || (await openClawProblem()) !== undefined;

/** A text of about 4,000 characters that names itself in each line. */
function lines(name: string): string {
  return Array.from({ length: 100 }, (_, line) => `${name} line ${line} with some words\n`).join(
    "",
  );
}

const files = Object.fromEntries(
  [0, 1, 2, 3].map((index) => [`f${index}.txt`, lines(`file${index}`)]),
);

const read = (index: number): PlayedStep => [["read", { path: `f${index}.txt` }]];
const say =
  (text: string): PlayedStep =>
  () => ({ type: "text", text });

/** How a file of the workspace is shown as an object, or as the host shows it. */
const shown = (index: number): RegExp =>
  new RegExp(`f\\d+ f${index}\\.txt v1\\n~~~\\nfile${index} line 0 `, "u");
const raw = (index: number): string => `file${index} line 0 with some words`;

/** The path of the SQLite store that a gateway uses if its settings name none. */
function storePath({ gateway }: PlayedGateway): string {
  return join(gateway.state, "..", ".local", "share", "self-context-manager", "store.sqlite");
}

/** Returns the host's ids of the sessions that are stored. */
async function storedSessions(path: string): Promise<readonly string[]> {
  await using store = await openSqliteStore({ path });
  const { items } = await store.find({ where: { type: "session" }, limit: 100 });
  return items.flatMap(({ body: { session_id: id } }) => (typeof id === "string" ? [id] : []));
}

/** Returns what the plugin has written to the gateway's log. */
function notesOf({ gateway }: PlayedGateway): readonly string[] {
  return gateway.log.split("\n").filter((line) => /self-context-manager: |"legacy"/u.test(line));
}

describe.skipIf(isSkipped)("a gateway of OpenClaw in a long run", () => {
  let managed: PlayedGateway;

  beforeAll(async () => {
    const config = { tools: { toolSearch: false } };
    managed = await playedGateway({ files, config, plugin: {} });
  });

  afterAll(async () => {
    await managed?.[Symbol.asyncDispose]();
  });

  /** Makes a turn that begins a sub-agent, and waits until the parent has answered its result. */
  async function spawn(
    side: PlayedGateway,
    context: string,
    session: string,
  ): Promise<SpawnedChild> {
    const known = new Set(side.sessions());
    side.plan("agent:main:subagent:", [read(1), say("the child has read it")]);
    const task = { task: "Read the other file.", context };
    const steps = [
      read(0),
      [["sessions_spawn", task]],
      say("it works on it"),
      say("it is done"),
    ] as const;
    const parent = await side.turn("look", steps, session);
    await expect.poll(() => side.requestsOf(session).length, { timeout: 60_000 }).toBe(4);
    const key = side.sessions().find((one) => !known.has(one) && one !== session) ?? "none";
    await expect.poll(() => side.requestsOf(key).length, { timeout: 60_000 }).toBe(2);
    return { key, parent, requests: side.requestsOf(key) };
  }

  interface SpawnedChild {
    readonly key: string;
    readonly parent: readonly PlayedRequest[];
    readonly requests: readonly PlayedRequest[];
  }

  it.each([
    { context: "isolated", first: 1 },
    { context: "fork", first: 6 },
  ])("gives a sub-agent ($context) a session of its own", async ({ context, first }) => {
    const session = `agent:main:${context}`;

    const child = await spawn(managed, context, session);
    const [next] = await managed.turn("go on", [], session);
    const stored = await storedSessions(storePath(managed));

    const [begin, end] = child.requests;
    expect(child.key).toMatch(/^agent:main:subagent:/u);
    expect(stored.filter((id) => id.includes(child.key))).toHaveLength(1);
    expect(stored.filter((id) => id.includes(session))).toHaveLength(1);
    expect(begin?.messages).toHaveLength(first);
    expect(begin?.text.includes(raw(0))).toBe(context === "fork");
    expect(end?.text).toMatch(shown(1));
    const last = child.parent.at(-1);
    if (last === undefined || next === undefined) throw new Error("the parent had no request");
    expect(keptMessages(last, next)).toBe(last.messages.length);
    expect(next.text).not.toContain(raw(1));
    expect(errorsOf(managed, [...child.requests, ...managed.requestsOf(session)])).toEqual([]);
  });

  // The host joins two answers in a row into one message with the time of the first.
  it("shows the parent's answer to the result of a sub-agent in later turns", async () => {
    const session = "agent:main:reported";

    await spawn(managed, "isolated", session);
    const [next] = await managed.turn("go on", [], session);

    expect(next?.text).toContain("it works on it");
    expect(next?.text).toContain("it is done");
  });

  // The host gives that turn fewer tools.
  it("manages the turns after the one that a sub-agent's result began", async () => {
    const session = "agent:main:announced";

    await spawn(managed, "isolated", session);
    const requests = await managed.turn("go on", [read(2), read(3)], session);

    expect(requests[2]?.text).toMatch(shown(2));
    expect(requests[2]?.text).toMatch(shown(3));
  });

  it("runs an automation's job in a session of its own", async () => {
    managed.plan("agent:main:cron:", [read(2), say("the job has read it")]);
    const schedule = ["--cron", "0 6 * * 1", "--session", "isolated", "--no-deliver"];
    const job = ["--name", "nightly", "--message", "Do the work of the night.", "--json"];

    const added = await managed.gateway.run("automations", "add", ...schedule, ...job);
    const [, id = ""] = /"id": "([^"]+)"/u.exec(added) ?? [];
    await managed.gateway.run("automations", "run", id, "--wait", "--poll-interval", "1s");
    const session = `agent:main:cron:${id}`;
    const requests = managed.requestsOf(session);

    expect(requests).toHaveLength(2);
    expect(requests[0]?.messages).toHaveLength(1);
    expect(requests[1]?.text).toMatch(shown(2));
    expect(errorsOf(managed, requests)).toEqual([]);
    const stored = await storedSessions(storePath(managed));
    expect(stored.filter((one) => one.includes(session))).toHaveLength(1);
  });

  it("begins empty after the user's command /new", async () => {
    const session = "agent:main:new";
    await managed.turn("look", [read(3)], session);
    const command = { sessionKey: session, message: "/new", idempotencyKey: crypto.randomUUID() };

    await managed.gateway.call("agent", command);
    const requests = await managed.turn("from the start", [read(3)], session);

    expect(requests.map(({ text }) => text.split("from the start").length)).toEqual([2, 2]);
    expect(requests[0]?.text).not.toContain("file3");
    expect(requests[1]?.text).toMatch(shown(3));
    expect(errorsOf(managed, requests)).toEqual([]);
  });

  it("sends the host's own messages while another process has locked the store", async () => {
    const session = "agent:main:locked";
    await managed.turn("look", [read(0)], session);
    const lock = new DatabaseSync(storePath(managed));

    const during = await managed.turn(
      "look again",
      [
        () => {
          lock.exec("BEGIN IMMEDIATE");
          return [["read", { path: "f1.txt" }]];
        },
        read(2),
        () => {
          lock.exec("ROLLBACK");
          return { type: "text", text: "the end" };
        },
      ],
      session,
    );
    lock.close();
    const after = await managed.turn("and now", [read(3)], session);

    expect(during).toHaveLength(3);
    expect(during[2]?.text).toContain(raw(1));
    expect(during[2]?.text).not.toMatch(shown(1));
    expect(after[0]?.text).toMatch(shown(0));
    expect(after[0]?.text).toMatch(shown(1));
    expect(after[1]?.text).toMatch(shown(3));
    expect(errorsOf(managed, managed.requestsOf(session))).toEqual([]);
  });
});

/** The texts of the user and of the host in a request, without the time and the line about the run. */
function userTexts({ wire }: PlayedRequest): readonly string[] {
  return wire.messages
    .filter(({ role }) => role === "user")
    .map(({ text }) =>
      text.replace(/^\[\w{3} [^\]]*\] /u, "").replace(/\n\nRuntime: agent=[^\n]*$/u, ""),
    );
}

describe.skipIf(isSkipped)("a gateway with settings of its own", () => {
  it.each(["openai-completions", "anthropic-messages"] as const)(
    "sends another model what OpenClaw alone sends it, and each prompt once: %s",
    async (api) => {
      const options = { api, files, fallbacks: ["mock/claude-opus-5-5"] };
      /** Answers as a server that does not have the usual model. */
      const without =
        (calls: PlayedStep): PlayedStep =>
        (request) => {
          if (request.model === "mock-1")
            return { type: "error", status: 404, message: "The model mock-1 does not exist" };
          return typeof calls === "function" ? calls(request) : calls;
        };
      async function texts(plugin: object | undefined): Promise<readonly (readonly string[])[]> {
        await using played = await playedGateway(
          plugin === undefined ? options : { ...options, plugin: {} },
        );
        await played.turn("look", [read(0)]);
        await played.turn("look again", [without(read(1)), without(read(1)), without(read(2))]);
        await played.turn("and now", [read(3)]);
        await played.gateway.stop();
        await played.gateway.start();
        await played.turn("go on");
        expect(errorsOf(played, played.requestsOf())).toEqual([]);
        return played.requestsOf().map(userTexts);
      }

      const [managed, plain] = [await texts({}), await texts(undefined)];

      expect(plain.flat().filter((text) => text.startsWith("[Retry after"))).not.toEqual([]);
      expect(managed).toEqual(plain);
    },
  );

  it("shows the summary that the agent's model wrote of a turn, and opens the long one", async () => {
    const short = "The parser keeps the old format, because the clients need it.";
    const long = "Decided: the old format stays, because three clients read it.";
    const talk = "The parser reads each line again. ".repeat(20);
    const epochs = { share: 0.01, shareAtTurn: 0.01, shareDeactivated: 0.01, folds: { age: 0 } };
    await using played = await playedGateway({ files, plugin: { summaries: "turns", epochs } });
    const asked: WireRequest[] = [];
    const summary: PlayedStep = (request) => {
      asked.push(request);
      return { type: "text", text: JSON.stringify({ short_summary: short, long_summary: long }) };
    };
    played.plan(
      "",
      Array.from({ length: 20 }, () => summary),
    );
    const works: PlayedStep = [["exec", { command: `true ${talk}` }]];

    await played.turn("Make the parser faster.", [read(0), works, works, works]);
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0), { timeout: 30_000 });
    await played.turn("Remove it.", [[["deactivate", { id: "f1" }]]]);
    const requests = await played.turn("What was decided?", [
      [["activate", { id: "chat", turn: 1, field: "long_summary" }]],
    ]);

    const [request] = asked;
    expect(request?.tools).toEqual([]);
    expect(request?.messages.at(-1)?.text).toContain("Make the parser faster.");
    expect(requests[0]?.text).toContain(`summary: ${short}`);
    expect(requests.at(-1)?.text).toContain(`written by a model:\n~~~\n${long}\n~~~`);
    expect(errorsOf(played, played.requestsOf())).toEqual([]);
  });

  it("manages the turns after a session's first run, of an event of the system", async () => {
    const session = "agent:main:main";
    await using played = await playedGateway({ files, plugin: {} });

    await played.gateway.run("system", "event", "--text", "something happened", "--mode", "now");
    await expect.poll(() => played.requestsOf(session).length, { timeout: 60_000 }).toBe(1);
    const requests = await played.turn("look", [read(0), read(1)], session);

    expect(requests[2]?.text).toMatch(shown(0));
    expect(requests[2]?.text).toMatch(shown(1));
    expect(notesOf(played)).toEqual([]);
    expect(errorsOf(played, played.requestsOf(session))).toEqual([]);
  });

  /** Reads a file, deletes the store, and makes three turns that read files. */
  async function afterDeletion(played: PlayedGateway): Promise<readonly PlayedRequest[]> {
    await played.turn("look", [read(0)]);
    for (const end of ["", "-wal", "-shm"]) await rm(`${storePath(played)}${end}`, { force: true });
    for (const index of [1, 2, 3]) await played.turn(`look at ${index}`, [read(index)]);
    return played.requestsOf().slice(2);
  }

  it("sends whole and legal requests after the store's file was deleted", async () => {
    await using played = await playedGateway({ files, plugin: {} });

    const requests = await afterDeletion(played);

    const last = requests.at(-1)?.text ?? "";
    for (const index of [0, 1, 2, 3]) expect(last.split(raw(index))).toHaveLength(2);
    for (const { text } of requests) expect(text.split("look at 1")).toHaveLength(2);
    expect(errorsOf(played, played.requestsOf())).toEqual([]);
  });

  it("begins a new store after the store's file was deleted, and says it once", async () => {
    await using played = await playedGateway({ files, plugin: {} });

    const requests = await afterDeletion(played);
    const notes = notesOf(played);
    await played.gateway.stop();

    expect(requests.at(-1)?.text).toMatch(shown(3));
    expect(await storedSessions(storePath(played))).toHaveLength(1);
    expect(notes).toHaveLength(1);
  });

  it("begins empty after an idle reset", async () => {
    const reset = { mode: "idle", idleMinutes: 1 };
    await using played = await playedGateway({ files, plugin: {}, config: { session: { reset } } });
    await played.turn("look", [read(0)]);

    // A minute is the shortest time that the host accepts.
    await delay(65_000);
    const requests = await played.turn("good morning", [read(1)]);

    expect(requests[0]?.messages).toHaveLength(1);
    expect(requests[1]?.text).toMatch(shown(1));
    expect(errorsOf(played, played.requestsOf())).toEqual([]);
    expect(await storedSessions(storePath(played))).toHaveLength(2);
  });
});

const missing = isLong ? missingForXtdb() : undefined;

describe.skipIf(isSkipped || missing !== undefined)("a gateway with a store in XTDB", () => {
  it("activates a content and continues byte for byte after a restart", async () => {
    // The node is built here if it was not built before, because the gateway has another home folder.
    await (await openTestNode())[Symbol.asyncDispose]();
    const at = await mkdtemp(join(tmpdir(), "scm-openclaw-xtdb-"));
    const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
    const options = {
      files,
      plugin: { storeKind: "xtdb", store: at },
      environment: { XDG_CACHE_HOME: caches },
    };

    {
      await using played = await playedGateway(options);
      const steps = [
        read(0),
        [["deactivate", { id: "f1" }]],
        [["activate", { id: "f1" }]],
      ] as const;
      const requests = await played.turn("look", steps);
      const [first] = await played.turn("go on");
      await played.gateway.stop();
      await played.gateway.start();
      const [second] = await played.turn("after it", [read(1)]);

      if (first === undefined || second === undefined) throw new Error("a turn had no request");
      expect(requests[1]?.text).toMatch(shown(0));
      expect(requests[3]?.text.split(raw(0))).toHaveLength(2);
      expect(keptMessages(first, second)).toBe(first.messages.length);
      expect(played.requestsOf().at(-1)?.text).toMatch(shown(1));
      expect(errorsOf(played, played.requestsOf())).toEqual([]);
      expect(notesOf(played)).toEqual([]);
      expect(existsSync(storePath(played))).toBe(false);
    }
    await rm(at, { recursive: true, force: true, maxRetries: 5 });
  });
});
