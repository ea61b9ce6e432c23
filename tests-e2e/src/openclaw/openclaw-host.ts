import { fieldsOf } from "@self-context-manager/core/host";
import { type LoopbackServer, openLoopbackServer } from "@self-context-manager/evaluate/loopback";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import {
  type HarnessHost,
  type HostOptions,
  type OpenHost,
  type ScriptedModel,
  storedPrompts,
  storedTexts,
} from "@self-context-manager/testkit";

import { mkdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

import { type Gateway, openGateway } from "./gateway.ts";
import { type GatewayApi, type GatewayModel, openGatewayModel } from "./gateway-model.ts";
import { openClawRecord, transcriptEvents } from "./openclaw-record.ts";
import { agentOf, comparableRequest, comparableText } from "./openclaw-request.ts";

const calls: HarnessHost["calls"] = {
  read: (path, lines) => ({ name: "read", arguments: { path, ...lines } }),
  show: (path) => ({ name: "exec", arguments: { command: `cat ${path}` } }),
  fail: (path) => ({ name: "exec", arguments: { command: `cat ${path}; exit 3` } }),
  picture: (path) => ({ name: "read", arguments: { path } }),
  write: (path, content) => ({ name: "write", arguments: { path, content } }),
};

/** The folder of a plugin that changes results as a test asks for it. */
const otherPlugin = join(import.meta.dirname, "other-plugin");

/** The number of agents of a gateway. Each host takes one. */
const agentCount = 120;

/** Milliseconds between two looks at what the gateway has stored. */
const pause = 50;

/** Two gateways, with the plugin and without it, on which hosts are opened. */
export interface OpenClawHosts extends AsyncDisposable {
  readonly openHost: OpenHost;
}

interface Side {
  readonly model: GatewayModel;
  readonly gateway: Gateway;
  /** Answers the other plugin of the gateway. */
  readonly other: LoopbackServer;
  /** How the other plugin changes the results of an agent. */
  readonly others: Map<string, (text: string) => string>;
  /** Runs work while no other host restarts the gateway. */
  readonly during: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Runs work while no other host uses the gateway. */
  readonly alone: (work: () => Promise<void>) => Promise<void>;
  /** The scripted models of the agents. */
  readonly agents: Map<string, ScriptedModel>;
}

/** Starts the gateways. Each is started when a host needs it first. */
export async function openClawHosts(
  api: GatewayApi = "openai-completions",
): Promise<OpenClawHosts> {
  const folder = await mkdtemp(join(tmpdir(), "scm-openclaw-store-"));
  const storePath = join(folder, "store.sqlite");
  const sides = new Map<boolean, Promise<Side>>();
  let opened = 0;

  async function openSide(isManaged: boolean): Promise<Side> {
    const agents: Side["agents"] = new Map();
    const model = await openGatewayModel(api, (request) => {
      const agent = agents.get(agentOf(request) ?? "");
      if (agent === undefined) throw new Error("a request of no session of the tests");
      return agent(request);
    });
    const others = new Map<string, (text: string) => string>();
    const other = await openLoopbackServer(
      async (body, _path, outgoing) => {
        const { sessionKey = "", text } = JSON.parse(body.toString("utf8"));
        const [, agent = ""] = /^agent:([^:]+):/u.exec(sessionKey) ?? [];
        await Promise.resolve(outgoing.end(others.get(agent)?.(text) ?? text));
      },
      (error, outgoing) => void outgoing.writeHead(500).end(String(error)),
    );
    const gateway = await openGateway({
      model: model.url,
      api,
      others: { other: { folder: otherPlugin, settings: { url: other.origin } } },
      agents: Array.from({ length: agentCount }, (_, index) => `a${index}`),
      plugin: isManaged ? { store: storePath } : undefined,
    });
    return { model, other, gateway, agents, others, ...shared() };
  }

  function side(isManaged: boolean): Promise<Side> {
    const found = sides.get(isManaged) ?? openSide(isManaged);
    sides.set(isManaged, found);
    return found;
  }

  return {
    openHost: async (options) => {
      const agent = `a${(opened += 1)}`;
      return await openHost(await side(options.adapter !== "absent"), {
        options,
        agent,
        storePath,
      });
    },
    async [Symbol.asyncDispose]() {
      for (const one of sides.values()) {
        const { gateway, model, other } = await one;
        await gateway[Symbol.asyncDispose]();
        await other[Symbol.asyncDispose]();
        await model[Symbol.asyncDispose]();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Several laws use one gateway at the same time, and one of them can restart it. */
function shared(): Pick<Side, "during" | "alone"> {
  const running = new Set<Promise<unknown>>();
  let restart: Promise<void> = Promise.resolve();
  return {
    async during(work) {
      await restart;
      const started = work();
      running.add(started);
      try {
        return await started;
      } finally {
        running.delete(started);
      }
    },
    async alone(work) {
      const before = restart;
      restart = (async () => {
        await before;
        await Promise.allSettled(running);
        await work();
      })();
      await restart;
    },
  };
}

interface HostPlace {
  readonly options: HostOptions;
  readonly agent: string;
  readonly storePath: string;
}

async function openHost(
  { model, gateway, agents, others, during, alone }: Side,
  { options, agent, storePath }: HostPlace,
): Promise<HarnessHost> {
  const workspace = gateway.workspace(agent);
  const callIds = new Set<string>();
  const names = { folder: workspace, callIds };
  const failed: string[] = [];
  let isScripted = false;
  let key = `agent:${agent}:contract`;
  let lock: DatabaseSync | undefined;

  for (const [name, content] of Object.entries(options.files))
    await writeFile(join(workspace, name), content);
  const { other } = options;
  if (other?.resultText !== undefined)
    others.set(agent, (text) => other.resultText?.(text) ?? text);
  agents.set(agent, (request) => {
    const reply = options.model(comparableRequest(request, names));
    for (const { id } of reply.calls) callIds.add(id);
    isScripted = reply.fails === true || reply.refuses !== undefined;
    return reply;
  });

  /** The host stores the end of a turn after it has answered. */
  async function settled(): Promise<void> {
    let before = -1;
    for (;;) {
      const now = transcriptEvents(gateway.state, agent).length;
      if (now === before) return;
      before = now;
      await delay(pause);
    }
  }

  /** Sends a command of the user. The gateway takes them by another way than prompts. */
  async function command(text: string): Promise<void> {
    const message = { sessionKey: key, message: text, idempotencyKey: crypto.randomUUID() };
    await gateway.call("chat.send", message);
    await delay(500);
  }

  function setBroken(broken: boolean | "silent"): void {
    lock?.close();
    lock = undefined;
    // A locked database answers only after a while.
    if (broken === false) return;
    mkdirSync(dirname(storePath), { recursive: true });
    lock = new DatabaseSync(storePath);
    lock.exec("BEGIN IMMEDIATE");
  }

  setBroken(options.brokenStore);
  if (options.adapter === "off") await command("/scm off");
  return {
    settings: options.settings,
    calls,
    get requests() {
      return model.requests
        .filter((request) => agentOf(request) === agent)
        .map((request) => comparableRequest(request, names));
    },
    notices: [],
    async prompt(text, images = []) {
      const id = options.thinking === "bound" ? "claude-opus-5-5" : "mock-1";
      const before = model.failures.length;
      try {
        await during(async () => {
          await gateway.prompt({ text, images, sessionKey: key, model: `mock/${id}` });
        });
      } catch (error) {
        if (!isScripted) failed.push(String(error));
      }
      failed.push(...model.failures.slice(before));
      if (failed.length > 0) throw new Error(failed.splice(0).join("\n"));
      await settled();
    },
    record: async () => await Promise.resolve(openClawRecord(gateway.state, agent, workspace)),
    restart: async () =>
      await alone(async () => {
        await gateway.stop();
        await gateway.start();
      }),
    async fork() {
      const forked = await gateway.call("sessions.create", {
        parentSessionKey: key,
        fork: true,
        agentId: agent,
      });
      const { key: made } = fieldsOf(forked);
      if (typeof made !== "string") throw new Error(`no fork: ${JSON.stringify(forked)}`);
      key = made;
    },
    setBroken,
    turn: async (on) => await command(`/scm ${on ? "on" : "off"}`),
    writeFile: async (path, text) => await writeFile(join(workspace, path), text),
    // The declared features do not contain it, so no law calls it.
    addOwnMessage: async () => await Promise.reject(new Error("there are no own messages")),
    changeUsage: async () => {
      // OpenClaw sends its messages as they were recorded.
    },
    // OpenClaw shows no plugin its requests, so no law calls it.
    requestHashes: async () => await Promise.resolve([]),
    async storedTexts() {
      await using store = await openSqliteStore({ path: storePath });
      return await storedTexts(store);
    },
    async systemPrompts() {
      await using store = await openSqliteStore({ path: storePath });
      // The host puts what an engine adds between the parts of its prompt.
      const parts = (await storedPrompts(store)).flatMap((text) =>
        text.split(/<!-- (?:OPENCLAW_CACHE|OPENCLAW-RELOCATABLE)_?-?BOUNDARY -->/u),
      );
      return parts.map((part) => comparableText(part, workspace));
    },
    async goBack(prompt) {
      const said = transcriptEvents(gateway.state, agent)
        .map(fieldsOf)
        .filter(({ type, message }) => type === "message" && fieldsOf(message)["role"] === "user");
      await gateway.call("sessions.rewind", { sessionKey: key, entryId: said[prompt]?.["id"] });
    },
    compact: async () => void (await gateway.call("sessions.compact", { key })),
    archive: async () => await command("/scm archive"),
    compactions: async () => await Promise.resolve(0),
    async [Symbol.asyncDispose]() {
      setBroken(false);
      agents.delete(agent);
      await Promise.resolve();
    },
  };
}
