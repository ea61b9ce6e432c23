import { type OpenContext, piExtension } from "@self-context-manager/adapter-pi";
import { configFromEnvironment, openContextManager } from "@self-context-manager/compose";
import {
  type AnthropicModel,
  markedPrefixCache,
  openAnthropicModel,
  type PrefixCache,
} from "@self-context-manager/evaluate/loopback";
import { type Clock, type IdSource, type ObjectId, objectId } from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";

import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

import { openPiSdk } from "../pi-sdk.ts";
import { piVersions } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import { ledgerProject } from "./session-project.ts";
import { models, work, workCalls } from "./session-work.ts";

/** A recorded session in a closed store. */
export interface RecordedSession {
  /** The SQLite file. */
  readonly storePath: string;
  /** The store as it was after the user's first turn. */
  readonly beginningPath: string;
  /** The agent's working folder, as the session left it. */
  readonly workspace: string;
  /** The id of the session object. */
  readonly sessionId: ObjectId;
  /** The number of calls that the model has answered. */
  readonly calls: number;
}

const storeName = "store.sqlite";
const beginningName = "beginning.sqlite";

/** The time at which the session begins. */
const begin = Date.UTC(2026, 2, 2, 9, 0, 0);

/** The call before which the provider drops all that it has cached, as it may at any time. */
export const droppedAt = 190;

/**
 * Records the work of `session-work.ts` in an empty folder: the newest supported Pi with its real tools and the real
 * extension, against a scripted model that bills by Anthropic's cache rules. All times come from a clock of the session,
 * Pi's own times too, and the ids of objects from a counter.
 */
export async function recordSession(
  folder: string,
  onRequests: (model: Pick<AnthropicModel, "requests" | "billed">) => void = () => undefined,
): Promise<RecordedSession> {
  const pi = piVersions.at(-1);
  if (pi === undefined) throw new TypeError("no release of Pi is installed");
  const clock = { time: begin, now: () => clock.time };
  using _pi = machineTime(clock);
  const provider = forgetfulCaches(clock);
  const answers = work.flatMap((turn) => turn.answers);
  await using model = await openAnthropicModel({
    cache: provider,
    script: (request) => {
      // Longer answers take longer; no answer takes as long as a cache entry lives.
      clock.time += 4_000 + (request.index % 7) * 2_500;
      const answer = answers[request.index];
      if (answer === undefined) throw new RangeError(`the session has ${answers.length} calls`);
      return answer(request);
    },
  });
  await using workspace = await openPiWorkspace({
    model,
    api: "anthropic-messages",
    modelId: models.first,
    otherModels: [models.second],
    files: ledgerProject,
    root: folder,
    workName: "ledger",
  });
  const storePath = join(folder, storeName);
  const beginningPath = join(folder, beginningName);
  const events = eventExtension();
  const openContext = openWith(storePath, clock);
  {
    await using sdk = await openPiSdk({
      pi,
      workspace,
      factories: [events.factory, piExtension({ openContext })],
      deadlineMs: 120_000,
    });
    for (const { before, prompt } of work) {
      clock.time += 20_000;
      if (before?.type === "pause") clock.time += before.ms;
      if (before?.type === "model") {
        provider.use(before.id);
        await sdk.prompt(`/model-of-test ${before.id}`);
      }
      if (before?.type === "instructions") events.instruct(before.text);
      await sdk.prompt(prompt);
      failOn([...sdk.errors, ...model.failures]);
      if (!existsSync(beginningPath)) copyOpenStore(storePath, beginningPath);
    }
  }
  failOn(unanswered(model));
  onRequests(model);
  return {
    storePath,
    beginningPath,
    workspace: workspace.workFolder,
    sessionId: await onlySession(storePath),
    calls: model.requests.length,
  };
}

/** Copies a store that may be open. */
function copyOpenStore(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true });
  database.prepare("VACUUM INTO ?").run(to);
  database.close();
}

/** Lets the code of this process read the time of a clock, because Pi cannot be given one. Disposal ends it. */
function machineTime(clock: Clock): Disposable {
  const real = globalThis.Date;
  const now = (): number => clock.now();
  globalThis.Date = new Proxy(real, {
    construct: (target, given: ConstructorParameters<typeof Date> | []) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  return { [Symbol.dispose]: () => void (globalThis.Date = real) };
}

/**
 * Returns the session in a temporary folder, which disposal removes. It is recorded once for the same sources, which takes
 * half a minute. Only the stores are kept: the workspace is no more than the beginning of the paths in it.
 */
export async function openRecordedSession(): Promise<RecordedSession & AsyncDisposable> {
  const kept = join(cache, await digestOfSources());
  if (!existsSync(kept)) await keepSession(kept);
  const folder = await mkdtemp(join(tmpdir(), "scm-inspector-"));
  for (const name of [storeName, beginningName])
    await copyFile(join(kept, name), join(folder, name));
  const facts = JSON.parse(await readFile(join(kept, "facts.json"), "utf8")) as RecordedSession;
  return {
    ...facts,
    storePath: join(folder, storeName),
    beginningPath: join(folder, beginningName),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}

const root = fileURLToPath(new URL("../../../", import.meta.url));
const cache = join(root, "node_modules", ".cache", "recorded-session");

/** Records the session, and moves its stores to where they are kept, in place of one of other sources. */
async function keepSession(kept: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "scm-inspector-"));
  try {
    const recorded = await recordSession(folder);
    await mkdir(cache, { recursive: true });
    const complete = await mkdtemp(join(cache, "new-"));
    for (const name of [storeName, beginningName])
      await copyFile(join(folder, name), join(complete, name));
    await writeFile(join(complete, "facts.json"), JSON.stringify(recorded));
    const others = (await readdir(cache)).filter((name) => !name.startsWith("new-"));
    for (const other of others) await rm(join(cache, other), { recursive: true, force: true });
    await rename(complete, kept).catch(async (error: unknown) => {
      // Another process has recorded it meanwhile.
      if (!existsSync(kept)) throw error;
      await rm(complete, { recursive: true });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The SHA-256 of everything that the session is made with: sources, dependencies and Node. */
async function digestOfSources(): Promise<string> {
  const sources = globSync("{packages/*,tests-e2e}/src/**/*.ts", { cwd: root }).toSorted();
  const digest = createHash("sha256").update(process.version);
  for (const file of ["pnpm-lock.yaml", ...sources])
    digest.update(`\0${file}\0`).update(await readFile(join(root, file)));
  return digest.digest("hex");
}

/** A cache for each model, all of which are emptied once before the call `droppedAt`. */
function forgetfulCaches(clock: Clock): PrefixCache & { use(model: string): void } {
  const now = (): number => clock.now();
  const caches = new Map<string, PrefixCache>();
  let model = "";
  let billed = 0;
  return {
    use(id) {
      model = id;
    },
    bill(blocks) {
      billed += 1;
      if (billed === droppedAt) caches.clear();
      const cache = caches.get(model) ?? markedPrefixCache({ now });
      caches.set(model, cache);
      return cache.bill(blocks);
    },
  };
}

interface EventExtension {
  readonly factory: (pi: never) => void;
  /** Adds a line to the system prompt of all later runs. */
  instruct(text: string): void;
}

/** The part of Pi's interface by which the test changes what a user of Pi can change. */
interface PiOfTest {
  on(
    name: "before_agent_start",
    handler: (event: { readonly systemPrompt: string }) => { readonly systemPrompt: string },
  ): void;
  registerCommand(
    name: string,
    command: { handler(args: string, context: ContextOfTest): Promise<void> },
  ): void;
  setModel(model: unknown): Promise<boolean>;
}

interface ContextOfTest {
  readonly modelRegistry: { find(provider: string, id: string): unknown };
}

function eventExtension(): EventExtension {
  const lines: string[] = [];
  const extend = (pi: PiOfTest): void => {
    pi.on("before_agent_start", ({ systemPrompt }) => ({
      systemPrompt: [systemPrompt, ...lines].join("\n"),
    }));
    pi.registerCommand("model-of-test", {
      async handler(id, { modelRegistry }) {
        const isSet = await pi.setModel(modelRegistry.find("loopback", id));
        if (!isSet) throw new TypeError(`Pi has no model ${id}`);
      },
    });
  };
  return { factory: extend, instruct: (text) => void lines.push(text) };
}

function openWith(storePath: string, clock: Clock): OpenContext {
  const ids = countedIds(clock);
  return async ({ host, workspace }) => {
    const config = configFromEnvironment({ SCM_STORE: storePath });
    const manager = await openContextManager({ ...config, workspace, clock, ids });
    return {
      session: await manager.openSession(host),
      [Symbol.asyncDispose]: async () => await manager[Symbol.asyncDispose](),
    };
  };
}

/** UUIDv7 whose random part is a counter, so that two recordings have the same ids. */
function countedIds(clock: Clock): IdSource {
  let count = 0;
  return {
    next() {
      count += 1;
      const time = clock.now().toString(16).padStart(12, "0");
      const tail = count.toString(16).padStart(12, "0");
      return objectId(`${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`);
    },
  };
}

function unanswered({ requests }: AnthropicModel): readonly string[] {
  const missing = workCalls - requests.length;
  return missing === 0 ? [] : [`${missing} of ${workCalls} calls were not made`];
}

function failOn(failures: readonly string[]): void {
  if (failures.length > 0) throw new Error(`the session failed: ${failures.join("; ")}`);
}

async function onlySession(storePath: string): Promise<ObjectId> {
  await using store = await openSqliteStore({ path: storePath });
  const { items } = await store.find({ where: { type: "session" }, limit: 2 });
  const [session, other] = items;
  if (session === undefined || other !== undefined)
    throw new Error("the store must have one session");
  return session.body.id;
}
