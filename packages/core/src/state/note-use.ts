import {
  defined,
  isReference,
  type JsonObject,
  type LineRange,
  withRange,
} from "@self-context-manager/objects";
import type { CallFacts } from "../calls/call-kind.ts";
import { isLargeWrite } from "../calls/large-write.ts";
import { usualToolFacts } from "../calls/tool-facts.ts";

import { argumentsOf, isToolCall } from "../chat/message.ts";
import { isAssistantStep } from "../chat/turn.ts";
import { argumentsKey, type UseKey } from "../policy/activation-policy.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { contentParts } from "../view/view-entry.ts";
import type { ViewRecord } from "../view/view-record.ts";
import type { Activation } from "./active-sets.ts";
import type { SessionScope } from "./session-scope.ts";
import type { SessionState } from "./session-state.ts";
import { tokensInView } from "./tokens-in-view.ts";
import type { PathHolders } from "./use-order.ts";

/**
 * Records the use of the files that a call names: for each, its newest object and its newest reading. Where the policy
 * says so, an object that it made inactive becomes active again if it is still in view, because its content needs no new
 * tokens.
 */
export function noteNamedFiles(scope: SessionScope, toolName: string, args: JsonObject): void {
  const { state, dependencies } = scope;
  const { paths } = (dependencies.toolFacts ?? usualToolFacts)(toolName, args);
  if (paths.length === 0) return;
  const holders = pathHolders(scope);
  for (const path of paths) {
    const known = holders.get(keyOf(scope, path));
    if (known === undefined) continue;
    for (const key of new Set([known.read, known.newest])) {
      if (key === undefined || !state.uses.recent.includes(key)) continue;
      state.uses.use(key);
      if (dependencies.policy.revivesNamed === true) revive(state, key);
    }
  }
}

function revive(state: SessionState, key: UseKey): void {
  const id = state.pool.handles.get(key);
  const entry = id === undefined ? undefined : state.pool.get(id);
  const record = state.sent.view?.record;
  if (id === undefined || entry === undefined || record === undefined) return;
  if (state.active.has(id)) return;
  if (!tokensInView(record).has(key)) return;
  const shown = isFileLike(entry) ? shownOfFile(state, entry, record) : {};
  if (shown === undefined) return;
  state.active.show(id, { used: state.chat.now(), ...shown });
}

function isFileLike({ stored }: PoolEntry): boolean {
  return stored.body.type === "file" || stored.body.type === "note";
}

/**
 * Returns the version and the lines of a file that are in view. After changes by the model, a whole file is that of its
 * newest version; undefined if the model has changed a file of which lines are in view, because their place is unknown.
 */
function shownOfFile(
  { shown }: SessionState,
  { id, handle, stored }: PoolEntry,
  { entries }: ViewRecord,
): Pick<Activation, "version" | "ranges"> | undefined {
  const parts = entries.flatMap((entry) => contentParts(entry).filter(({ of }) => of === handle));
  const version = Math.max(...parts.map((part) => part.version));
  const current = parts.filter((part) => part.version === version);
  const known = shown.get(id);
  const isOwn = version < stored.version && known?.content_hash === stored.hashes.content_hash;
  if (current.some(({ form }) => form !== "lines")) {
    if (isOwn && known.ranges !== undefined) return undefined;
    return { version: isOwn ? stored.version : version };
  }
  if (isOwn) return undefined;
  let ranges: readonly LineRange[] = [];
  for (const { from = 1, to = from } of current) ranges = withRange(ranges, { from, to }) ?? ranges;
  return { version, ranges };
}

/**
 * Records the arrival of a tool's result. The result and large arguments of its call are used, and they contain the
 * files that the call named.
 */
export function noteArrival(
  scope: SessionScope,
  entry: PoolEntry,
  toolName: string,
  args: JsonObject,
): void {
  const { state } = scope;
  if (entry.stored.body["context_tool"] === true) return;
  const use = useOf(scope, entry, toolName, args);
  if (use.holder !== entry.handle) state.uses.use(use.holder);
  state.uses.use(entry.handle);
  if (use.facts.paths.length === 0) return;
  pathHolders(scope);
  hold(scope, entry, use);
}

/** Records that a file was read, written or activated: its object now contains the text of its path. */
export function noteFileUse(scope: SessionScope, entry: PoolEntry): void {
  const { uses } = scope.state;
  uses.use(entry.handle);
  const path = entry.stored.body["path"];
  if (typeof path !== "string") return;
  pathHolders(scope);
  uses.hold(keyOf(scope, path), { newest: entry.handle, read: entry.handle });
}

function hold(scope: SessionScope, entry: PoolEntry, { facts, holder }: CallUse): void {
  const { uses } = scope.state;
  for (const path of facts.paths) {
    const key = keyOf(scope, path);
    const read = facts.kind === "read" ? entry.handle : uses.paths?.get(key)?.read;
    uses.hold(key, { newest: holder, ...defined({ read }) });
  }
}

/**
 * The facts of a call, with the key of the part that contains the text of a file: its large arguments or its result.
 */
interface CallUse {
  readonly facts: CallFacts;
  readonly holder: UseKey;
}

function useOf(
  { dependencies }: SessionScope,
  entry: PoolEntry,
  toolName: string,
  args: JsonObject,
): CallUse {
  const facts = (dependencies.toolFacts ?? usualToolFacts)(toolName, args);
  const call = { type: "toolCall" as const, id: "", name: toolName, arguments: args };
  const from = dependencies.layout.largeArguments;
  const isLarge =
    from !== undefined && isLargeWrite({ toolFacts: () => facts }, call, from) !== undefined;
  return { facts, holder: isLarge ? argumentsKey(entry.handle) : entry.handle };
}

/**
 * Returns the objects that contain a file, by path. They are computed from the chat after a session is opened or
 * rewound.
 */
function pathHolders(scope: SessionScope): ReadonlyMap<string, PathHolders> {
  const { state } = scope;
  if (state.uses.paths !== undefined) return state.uses.paths;
  const holders = state.uses.beginPaths();
  for (const { steps } of state.chat.turns) {
    for (const step of steps) {
      if (!isAssistantStep(step)) continue;
      const calls = step.assistant.filter(isToolCall);
      for (const [index, call] of calls.entries()) {
        const id = step.toolcall_ids[index];
        const entry = id === undefined ? undefined : state.pool.get(id);
        if (entry === undefined) continue;
        if (entry.stored.body["context_tool"] === true) holdTargets(scope, entry);
        else {
          const use = useOf(scope, entry, call.name, argumentsOf(call.arguments));
          hold(scope, entry, use);
        }
      }
    }
  }
  return holders;
}

function holdTargets(scope: SessionScope, { stored }: PoolEntry): void {
  const references = stored.body["target_refs"];
  if (!Array.isArray(references)) return;
  for (const reference of references) {
    const target = isReference(reference) ? scope.state.pool.get(reference.id) : undefined;
    const path = target?.stored.body["path"];
    if (target === undefined || typeof path !== "string") continue;
    scope.state.uses.hold(keyOf(scope, path), { newest: target.handle, read: target.handle });
  }
}

function keyOf({ dependencies }: SessionScope, path: string): string {
  return dependencies.fileKey?.(path) ?? dependencies.files.resolve(path, dependencies.workspace);
}
