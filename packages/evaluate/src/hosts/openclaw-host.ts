import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type { Arm } from "../model/arm.ts";
import type { EvaluationHost, HostAnswer, HostOptions, HostSession } from "../model/host.ts";
import { hostError } from "./host-error.ts";
import { installedPackage } from "./installed-package.ts";
import { type HostProcess, openHostProcess } from "./host-process.ts";
import { openClawConfig, openClawVariables } from "./openclaw-config.ts";

export interface OpenClawHostOptions {
  /** The folder of the installed package `openclaw`, or its program. Default: `openclaw` in the search path. */
  readonly cli?: string;
  /** The folder of the plugin's package. Default: the installed `@self-context-manager/adapter-openclaw`. */
  readonly plugin?: string;
  /** The thinking level of a reasoning model. Default: `medium`. */
  readonly thinking?: string;
}

const pluginName = "@self-context-manager/adapter-openclaw";

/** A gateway takes 8 to 17 seconds to be ready on two cores. */
const startMs = 180_000;

/** An installed OpenClaw: each run has a gateway of its own. Throws `EvaluateError` with `EVALUATE_HOST`. */
export function openOpenClawHost(options: OpenClawHostOptions = {}): EvaluationHost {
  const script = scriptOf(options.cli ?? foundProgram());
  const { version = "unknown" }: { readonly version?: string } = JSON.parse(
    readFileSync(join(dirname(script), "package.json"), "utf8"),
  );
  return {
    name: "openclaw",
    version,
    open: async (given) => {
      checkArm(given.arm);
      return await openGateway(script, options, given);
    },
  };
}

function foundProgram(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const program = folders
    .map((folder) => join(folder, "openclaw"))
    .find((path) => existsSync(path));
  if (program !== undefined) return program;
  throw hostError(
    "OpenClaw is not installed: there is no openclaw in PATH; run npm install -g openclaw, or name its folder",
  );
}

/** The script in the package's folder. The program in the search path is a link to it. */
function scriptOf(given: string): string {
  const inside = join(given, "openclaw.mjs");
  const path = existsSync(inside) ? inside : given;
  const script = existsSync(path) ? realpathSync(path) : path;
  if (script.endsWith("openclaw.mjs") && existsSync(script)) return script;
  throw hostError(`${given} is neither the folder of the package openclaw nor its program`);
}

/** What an arm asks of a host that this one does not have. */
function checkArm({ name, compactsAt, extension, environment, withoutTools = [] }: Arm): void {
  const lacking = [
    ...(compactsAt === undefined ? [] : ["a compaction at a number of tokens"]),
    ...(extension === undefined ? [] : ["extensions of Pi"]),
    ...["SCM_BREAKPOINTS", "SCM_LAYOUT"].filter((variable) => variable in environment),
    // Without this tool the plugin only records.
    ...(withoutTools.includes("activate") ? ["a list of tools without activate"] : []),
  ];
  if (lacking.length > 0)
    throw hostError(
      `the arm ${name} needs ${lacking.join(" and ")}, which OpenClaw as a host does not have; use pi`,
    );
}

async function openGateway(
  script: string,
  options: OpenClawHostOptions,
  given: HostOptions,
): Promise<HostSession> {
  const plugin = given.arm.isManaged ? (options.plugin ?? pluginFolder()) : undefined;
  await mkdir(given.home, { recursive: true });
  const home = await realpath(given.home);
  const folders = ["user", "tmp", "state"].map((name) => join(home, name));
  const [user = "", temporary = "", state = ""] = folders;
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })));
  const port = await freePort();
  const token = randomUUID();
  const configFile = join(home, "openclaw.json");
  const workspace = await realpath(given.workspace);
  const thinking = options.thinking ?? "medium";
  const config = openClawConfig({ ...given, workspace, port, plugin, thinking });
  await writeFile(configFile, JSON.stringify(config, undefined, 2));
  const errorFile = join(home, "openclaw-errors.txt");
  const gateway = openHostProcess({
    command: process.execPath,
    arguments: [script, "gateway", "run", "--port", String(port)],
    folder: home,
    environment: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: user,
      TMPDIR: temporary,
      LANG: process.env["LANG"] ?? "C.UTF-8",
      NO_COLOR: "1",
      OPENCLAW_STATE_DIR: state,
      OPENCLAW_CONFIG_PATH: configFile,
      OPENCLAW_SKIP_CHANNELS: "1",
      OPENCLAW_DISABLE_BONJOUR: "1",
      OPENCLAW_NO_AUTO_UPDATE: "1",
      OPENCLAW_SKIP_STARTUP_MODEL_PREWARM: "1",
      [openClawVariables.token]: token,
      [openClawVariables.key]: given.access.key,
      ...given.arm.environment,
      ...(given.arm.isManaged ? { SCM_STORE: given.store } : {}),
    },
    errorFile,
  });
  const log = logOf(gateway, errorFile);
  try {
    await ready(port, gateway);
  } catch (error) {
    await gateway[Symbol.asyncDispose]();
    const reason = error instanceof Error ? error.message : String(error);
    throw hostError(`OpenClaw cannot be used: ${reason}: ${log.text().slice(-2_000)}`, error);
  }
  return session({ port, token, gateway, log });
}

interface OpenedGateway {
  readonly port: number;
  readonly token: string;
  readonly gateway: HostProcess;
  readonly log: GatewayLog;
}

function session({ port, token, gateway, log }: OpenedGateway): HostSession {
  let number = 1;
  return {
    prompt: async (text, { signal }) => {
      if (signal.aborted) return { text: "", error: "the turn was aborted before it began" };
      const { promise: ended, resolve } = Promise.withResolvers<HostAnswer>();
      void gateway.ended.then((reason) =>
        resolve({ text: "", error: `OpenClaw ended during the turn: ${reason}` }),
      );
      const key = `agent:main:evaluate-${number}`;
      const answer = await Promise.race([asked({ port, token, key, text, signal }), ended]);
      const notices = log.notices();
      return { ...answer, ...(notices.length === 0 ? {} : { notices }) };
    },
    newSession: async () => await Promise.resolve(void (number += 1)),
    [Symbol.asyncDispose]: async () => await gateway[Symbol.asyncDispose](),
  };
}

interface Asked {
  readonly port: number;
  readonly token: string;
  readonly key: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** Sends a message of the user. OpenClaw ends the turn when the connection is closed, so an aborted signal ends it. */
async function asked({ port, token, key, text, signal }: Asked): Promise<HostAnswer> {
  // `fetch` gives up after five minutes without an answer, and a turn can take longer.
  const sent = request({
    host: "127.0.0.1",
    port,
    path: "/v1/chat/completions",
    method: "POST",
    signal,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-openclaw-session-key": key,
    },
  });
  const message = { role: "user", content: text };
  sent.end(JSON.stringify({ model: "openclaw/main", messages: [message] }));
  try {
    const [response] = await once(sent, "response");
    let body = "";
    for await (const piece of response.setEncoding("utf8")) body += String(piece);
    return answerIn(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { text: "", error: signal.aborted ? "the turn was aborted" : reason };
  }
}

function answerIn(body: string): HostAnswer {
  const answer: {
    readonly choices?: readonly { readonly message?: { readonly content?: string | null } }[];
    readonly error?: { readonly message?: string };
  } = JSON.parse(body);
  const [choice] = answer.choices ?? [];
  if (choice === undefined) return { text: "", error: answer.error?.message ?? body.slice(0, 500) };
  return { text: choice.message?.content ?? "" };
}

interface GatewayLog {
  /** All that the gateway has written. */
  text(): string;
  /** Returns the lines since the last call that say that the context was not managed. */
  notices(): readonly string[];
}

function logOf(gateway: HostProcess, errorFile: string): GatewayLog {
  let output = "";
  gateway.output.setEncoding("utf8").on("data", (piece: string) => void (output += piece));
  let seen = 0;
  const lines = (): readonly string[] =>
    `${output}\n${readFileSync(errorFile, "utf8")}`
      .split("\n")
      .filter((line) => /self-context-manager: |degraded to "legacy"/u.test(line));
  return {
    text: () => `${output}\n${readFileSync(errorFile, "utf8")}`.trim(),
    notices: () => {
      const all = lines();
      const found = all.slice(seen);
      seen = all.length;
      return found;
    },
  };
}

async function ready(port: number, gateway: HostProcess): Promise<void> {
  let end: string | undefined;
  void gateway.ended.then((reason) => void (end = reason));
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline) {
    if (end !== undefined) throw new Error(`it ended: ${end}`);
    // Until the gateway listens, the request fails.
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await delay(100);
  }
  throw new Error(`it is not ready after ${startMs / 1_000} s`);
}

function pluginFolder(): string {
  const manifest = installedPackage(pluginName);
  if (manifest === undefined)
    throw hostError(
      `${pluginName} is not installed beside @self-context-manager/evaluate; run npm install ${pluginName}`,
    );
  return dirname(manifest);
}

/** Returns a loopback port on which no process listens now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
