import { fieldsOf } from "@self-context-manager/core/host";

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { freePort } from "../scale-out/free-port.ts";
import { callGateway } from "./gateway-call.ts";
import { installedOpenClaw } from "./install-openclaw.ts";
import { gatewayConfig, type GatewayConfigOptions } from "./gateway-config.ts";

export interface GatewayOptions extends Omit<GatewayConfigOptions, "folder" | "port"> {
  /** The files of the first agent's workspace. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Variables of the gateway's environment, in addition to its usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Arguments of `openclaw plugins install`. It runs on the empty state, on a configuration with the other plugins, and the
   * gateway uses the settings of plugins that it writes.
   */
  readonly install?: readonly string[];
}

/** A prompt of the user. */
export interface GatewayPrompt {
  readonly text: string;
  /** Default: the session `agent:main:e2e`. */
  readonly sessionKey?: string;
  /** PNG images in base64. */
  readonly images?: readonly string[];
  /** A model instead of the configured one. */
  readonly model?: string;
}

/** A gateway in a process of its own. Its state is in a temporary folder, which disposal removes. */
export interface Gateway extends AsyncDisposable {
  /** The folder of the gateway's state. */
  readonly state: string;
  /** Returns the workspace of an agent. Default: the first one. */
  workspace(agent?: string): string;
  /**
   * Sends a message of the user and returns the agent's answer. Rejects if the gateway reports an error, and with `TypeError`
   * if it gives no answer.
   */
  prompt(prompt: string | GatewayPrompt): Promise<string>;
  /** Runs the host's command line and returns its output. Rejects if it fails. */
  run(...args: readonly string[]): Promise<string>;
  /**
   * Calls a method of the gateway and returns the first answer. Rejects if the gateway reports an error, and with `TypeError`
   * if it ends the connection.
   */
  call(method: string, params: object): Promise<unknown>;
  /** Returns the configuration file. */
  config(): Promise<unknown>;
  /** All lines that the gateway has written. */
  readonly log: string;
  /** Returns the memory of the gateway's process in bytes. Rejects on systems without `/proc`. */
  memory(): Promise<number>;
  stop(): Promise<void>;
  /** Starts the gateway again on the same state. */
  start(): Promise<void>;
}

const token = "loopback-token";

/** Milliseconds in which a gateway must be ready. It takes 8 to 17 seconds on two cores. */
const startDeadline = 120_000;

/** Milliseconds that a gateway gets to end by itself. */
const stopDeadline = 15_000;

/** Starts a gateway and waits until it is ready. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const openclaw = await installedOpenClaw();
  const folder = await mkdtemp(join(tmpdir(), "scm-openclaw-"));
  const state = join(folder, "state");
  const configPath = join(folder, "openclaw.json");
  const workspace = (agent = "main"): string => join(folder, "work", agent);
  for (const agent of ["main", ...(options.agents ?? [])])
    await mkdir(workspace(agent), { recursive: true });
  for (const [name, content] of Object.entries(options.files ?? {})) {
    const file = join(workspace(), name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const environment = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: folder,
    OPENCLAW_STATE_DIR: state,
    OPENCLAW_CONFIG_PATH: configPath,
    OPENCLAW_SKIP_CHANNELS: "1",
    OPENCLAW_DISABLE_BONJOUR: "1",
    OPENCLAW_NO_AUTO_UPDATE: "1",
    OPENCLAW_SKIP_STARTUP_MODEL_PREWARM: "1",
    OPENCLAW_GATEWAY_TOKEN: token,
    ...options.environment,
  };
  const lines: string[] = [];
  let gateway: ChildProcess | undefined;
  let origin = "";
  let installed: object = {};

  function spawned(args: readonly string[]): ChildProcess {
    const entry = join(openclaw, "openclaw.mjs");
    return spawn(process.execPath, [entry, ...args], { env: environment, cwd: folder });
  }

  /** Writes the configuration, with the settings of an installation. */
  async function configure(port: number): Promise<void> {
    const config = gatewayConfig({ ...options, folder, port, token });
    await writeFile(configPath, JSON.stringify({ ...config, ...installed }, undefined, 2));
  }

  async function start(): Promise<void> {
    const port = await freePort();
    await configure(port);
    gateway = spawned(["gateway", "run", "--port", String(port)]);
    gateway.stdout?.on("data", (chunk) => lines.push(String(chunk)));
    gateway.stderr?.on("data", (chunk) => lines.push(String(chunk)));
    origin = `http://127.0.0.1:${port}`;
    await ready(origin, gateway, lines);
  }

  async function stop(): Promise<void> {
    const process = gateway;
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return;
    const closed = once(process, "close");
    process.kill("SIGTERM");
    const isClosed = await Promise.race([closed.then(() => true), delay(stopDeadline, false)]);
    if (!isClosed) process.kill("SIGKILL");
    await closed;
  }

  async function run(...args: readonly string[]): Promise<string> {
    const child = spawned(args);
    const output: string[] = [];
    child.stdout?.on("data", (chunk) => output.push(String(chunk)));
    child.stderr?.on("data", (chunk) => output.push(String(chunk)));
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`openclaw ${args.join(" ")} failed: ${output.join("")}`);
    return output.join("");
  }

  const config = async (): Promise<unknown> => JSON.parse(await readFile(configPath, "utf8"));

  async function close(): Promise<void> {
    await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async function open(): Promise<void> {
    if (options.install !== undefined) {
      await configure(await freePort());
      await run("plugins", "install", ...options.install);
      // Without `meta`, the host takes the file for a damaged one and restores the one before the installation.
      const { plugins, meta } = fieldsOf(await config());
      installed = { plugins, meta };
    }
    await start();
  }

  try {
    await open();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    state,
    workspace,
    async prompt(given) {
      const prompt = typeof given === "string" ? { text: given } : given;
      const response = await fetch(`${origin}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "x-openclaw-session-key": prompt.sessionKey ?? "agent:main:e2e",
          ...(prompt.model === undefined ? {} : { "x-openclaw-model": prompt.model }),
        },
        body: JSON.stringify({ model: modelOf(prompt), messages: [userMessage(prompt)] }),
      });
      const body = await response.text();
      if (!response.ok) throw new Error(`the gateway answered ${response.status}: ${body}`);
      return String(JSON.parse(body).choices[0].message.content);
    },
    run,
    call: async (method, params) => await callGateway({ origin, token, method, params }),
    config,
    get log() {
      return lines.join("");
    },
    async memory() {
      const status = await readFile(`/proc/${gateway?.pid ?? 0}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1024;
    },
    stop,
    start,
    [Symbol.asyncDispose]: close,
  };
}

/** The endpoint takes the agent's name as the name of a model. */
function modelOf({ sessionKey = "" }: GatewayPrompt): string {
  const agent = /^agent:([^:]+):/u.exec(sessionKey)?.[1] ?? "main";
  return `openclaw/${agent}`;
}

function userMessage({ text, images = [] }: GatewayPrompt): object {
  if (images.length === 0) return { role: "user", content: text };
  const blocks = images.map((data) => ({
    type: "image_url",
    image_url: { url: `data:image/png;base64,${data}` },
  }));
  return { role: "user", content: [{ type: "text", text }, ...blocks] };
}

async function ready(
  origin: string,
  gateway: ChildProcess,
  lines: readonly string[],
): Promise<void> {
  const deadline = Date.now() + startDeadline;
  while (Date.now() < deadline) {
    if (gateway.exitCode !== null) throw new Error(`the gateway ended: ${lines.join("")}`);
    // Until the gateway listens, the request fails.
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await delay(100);
  }
  throw new Error(`the gateway is not ready after ${startDeadline} ms: ${lines.join("")}`);
}
