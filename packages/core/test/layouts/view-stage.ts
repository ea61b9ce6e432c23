import {
  defined,
  hashObject,
  type JsonObject,
  type LineRange,
  metadataOf,
  type ObjectBody,
  type ObjectId,
  objectId,
  staticReference,
  type StoredVersion,
} from "@self-context-manager/objects";
import { usualToolFacts } from "../../src/calls/tool-facts.ts";
import { fileReferences } from "../../src/calls/toolcall-object.ts";
import { longParts, userObjectBody, usualLongText } from "../../src/calls/user-object.ts";
import { type Block, isText, type ToolCallBlock } from "../../src/chat/message.ts";
import type { Turn } from "../../src/chat/turn.ts";
import { calibratedEstimator } from "../../src/cost/calibrated-estimator.ts";
import type {
  ActiveObject,
  EpochInput,
  Layout,
  LayoutInput,
  LayoutOutput,
  Liveness,
  ViewMessage,
} from "../../src/view/layout.ts";
import type { PoolEntry } from "../../src/view/pool-entry.ts";
import type { ViewRecord } from "../../src/view/view-record.ts";
import type { ViewSource } from "../../src/view/view-source.ts";

type Activation = Partial<Pick<ActiveObject, "stored" | "ranges" | "isPinned" | "isAsked">>;

interface CallOptions {
  readonly blocks?: readonly Block[];
  /** Handle of the file that the call made or changed. */
  readonly file?: string;
  /** For a call of a context tool: the handles of the objects that it showed. */
  readonly shows?: readonly string[];
  /** The lines of them that it asked for. */
  readonly range?: LineRange;
  readonly thinking?: Block;
  readonly isActive?: boolean;
}

/** Parts of the input of a layout, with those that only epochs need among them. */
export type StageOptions = Omit<Partial<LayoutInput>, "epochs"> & Omit<EpochInput, "toolFacts">;

/** A session that a test builds by hand for a layout. Each call gets the record of the last call. */
export interface ViewStage {
  /** Adds a user message. Of blocks, each file and each long text becomes an active object. Returns their handles. */
  user(content: string | readonly Block[]): readonly string[];
  /** Adds an answer without calls. The first answer after a view is the answer to that view. */
  say(text: string, thinking?: Block): void;
  /** Adds a call and its result. Returns its handle. */
  call(tool: string, args: JsonObject, output: string | null, options?: CallOptions): string;
  /** Activates a file and adds the call of `read` that asked for it. Returns the call's handle. */
  read(handle: string): string;
  /** Adds a call without a result. Returns the handle that it will have. */
  callWithoutResult(tool: string, args: JsonObject): string;
  /** Adds the result of such a call. */
  result(handle: string, output: string): void;
  /** Adds the next version of a file. */
  file(handle: string, text: string, generator?: "human" | "agent"): void;
  /** Adds the version of a file that was moved, or deleted if the path is null. */
  moved(handle: string, path: string | null): void;
  /** Adds the next version of an object, with further fields. */
  change(handle: string, fields: JsonObject): void;
  /** Adds an object that a program has loaded as inactive. */
  load(handle: string, fields: JsonObject): void;
  /** Goes back to the point before the newest user message. */
  goBack(): void;
  activate(handle: string, activation?: Activation): void;
  deactivate(handle: string): void;
  /** Returns the handles of the active objects, in the order in which a view reports them. */
  activeHandles(): readonly string[];
  /** Makes the next call and returns its view. */
  view(layout: Layout, options?: StageOptions): LayoutOutput;
  /** Renders the state of the session after another record. The session does not change. */
  again(layout: Layout, after: ViewRecord | undefined): LayoutOutput;
  readonly source: () => ViewSource;
}

/** Returns a session that begins with a user's message, if one is given. */
export function viewStage(user?: string): ViewStage {
  const turns: Turn[] = user === undefined ? [] : [turnOf(user)];
  const versions = new Map<string, StoredVersion>();
  const pool = new Map<string, PoolEntry>();
  const active = new Map<string, Activation>();
  let calls = 0;
  let said = 0;
  let last: ViewRecord | undefined;
  let views = 0;
  let isAnswered = true;

  function store(handle: string, body: ObjectBody): StoredVersion {
    let version = 1;
    while (versions.has(`${handle}@${version}`)) version += 1;
    const at = { tx_id: versions.size + 1, tx_time: "2026-02-20T10:00:00.000Z" };
    const stored = { body, hashes: hashObject(body), version, at };
    versions.set(`${handle}@${version}`, stored);
    const { id } = body;
    const metadata = { ...stored, body: metadataOf(body) };
    const row = pool.get(handle)?.row ?? { id, handle };
    pool.set(handle, { id, handle, row, stored: metadata });
    return stored;
  }

  function newest(handle: string): StoredVersion {
    const version = pool.get(handle)?.stored.version;
    const stored = versions.get(`${handle}@${version}`);
    if (stored === undefined) throw new RangeError(`there is no ${handle}`);
    return stored;
  }

  function addStep(blocks: readonly Block[], ids: readonly ObjectId[]): void {
    const turn = turns.pop() ?? { user: null, timestamp: null, steps: [] };
    const step = {
      assistant: blocks,
      toolcall_ids: ids,
      assistant_meta: { stopReason: "stop" },
      ...(isAnswered ? {} : { view: views }),
    };
    isAnswered = true;
    turns.push({ ...turn, steps: [...turn.steps, step] });
  }

  const heldTexts: EpochInput["textsOf"] = (call) => {
    const body = [...pool.values()].find(({ id }) => id === call)?.stored.body;
    const [reference] = fileReferences(body);
    const made = [...versions.values()].find(
      ({ at }) => reference?.ref === "static" && at.tx_id === reference.tx_id,
    );
    return made === undefined ? undefined : { file: made.body.id, version: made.version };
  };

  function inputOf(
    layout: Layout,
    {
      liveness,
      textsOf = heldTexts,
      replacedIn,
      cache,
      head,
      changedFrom,
      lastCall,
      isTurnFixed,
      ...options
    }: StageOptions,
    after: ViewRecord | undefined = last,
  ): LayoutInput {
    const objects = [...active].map(([handle, activation]): ActiveObject => ({
      entry: pool.get(handle) as PoolEntry,
      stored: newest(handle),
      isPinned: false,
      ...activation,
    }));
    const names = after === undefined ? [] : (layout.needs?.(after, objects) ?? []);
    return {
      turns: [...turns],
      chatHandle: "chat",
      pool: new Map([...pool.values()].map((entry) => [entry.id, entry])),
      poolRevision: versions.size,
      active: objects,
      versions: new Map(names.map((name) => [name, versions.get(name) as StoredVersion])),
      workspace: "/work",
      estimator: calibratedEstimator(),
      ...options,
      epochs: defined({
        broughtIn: [...pool.values()].filter(
          ({ row }) => row.loaded === true || row.linked !== undefined,
        ),
        textsOf,
        liveness,
        replacedIn,
        cache,
        head,
        changedFrom,
        isTurnFixed,
        lastCall: lastCall ?? (last === undefined ? undefined : views),
      }),
    };
  }

  const stage: ViewStage = {
    user: (content) => {
      const turn = turns.length;
      const parts = typeof content === "string" ? [] : longParts(content, usualLongText);
      const own = parts.map(({ block, part }) => {
        said += 1;
        const id = objectId(`user_${said}`);
        store(`u${said}`, userObjectBody({ id, turn, block, part }, objectId("chat")));
        active.set(`u${said}`, {});
        return { handle: `u${said}`, block, id };
      });
      const objects = own.map(({ block, id }) => ({ block, id }));
      turns.push({
        ...turnOf(content),
        ...(own.length === 0 ? {} : { user_objects: objects }),
      });
      return own.map(({ handle }) => handle);
    },
    say: (text, thinking) =>
      addStep([...(thinking === undefined ? [] : [thinking]), { type: "text", text }], []),
    call: (tool, args, output, options = {}) => {
      calls += 1;
      const handle = `t${calls}`;
      const id = objectId(`call_${calls}`);
      const block: ToolCallBlock = { type: "toolCall", id, name: tool, arguments: args };
      addStep(options.thinking === undefined ? [block] : [options.thinking, block], [id]);
      const { blocks, file, shows, range } = options;
      const references = shows?.map((shown) => ({ ref: "dynamic", id: newest(shown).body.id }));
      store(handle, {
        id,
        type: "toolcall",
        locked: false,
        content: output,
        char_count: output?.length ?? 0,
        tool,
        args,
        args_display: `${tool}: ${Object.values(args).map(String).join(" ")}`,
        status: "ok",
        is_error: false,
        ...(blocks === undefined ? {} : { blocks }),
        ...(file === undefined ? {} : { file_refs: [staticReference(newest(file))] }),
        ...(references === undefined
          ? { call_kind: usualToolFacts(tool, args).kind }
          : { context_tool: true, report: output, target_refs: references }),
        ...(range === undefined ? {} : { target_range: range }),
        provenance: { origin: "toolcall", generator: "tool" },
      });
      if (options.isActive !== false && references === undefined && output !== "")
        active.set(handle, {});
      return handle;
    },
    read: (handle) => {
      stage.activate(handle, { isAsked: true });
      return stage.call("read", { path: `${handle}.ts` }, "read.", { shows: [handle] });
    },
    callWithoutResult: (tool, args) => {
      calls += 1;
      const id = objectId(`call_${calls}`);
      addStep([{ type: "toolCall", id, name: tool, arguments: args }], [id]);
      return `t${calls}`;
    },
    result: (handle, output) => {
      store(handle, {
        id: objectId(`call_${handle.slice(1)}`),
        type: "toolcall",
        locked: false,
        content: output,
        char_count: output.length,
        tool: "bash",
        args: {},
        status: "ok",
        is_error: false,
        call_kind: "command",
        provenance: { origin: "toolcall", generator: "tool" },
      });
      active.set(handle, {});
    },
    file: (handle, content, generator = "human") => {
      const path = `/work/${handle}.ts`;
      store(handle, {
        id: objectId(`file_${handle}`),
        type: "file",
        locked: false,
        content,
        path,
        char_count: content.length,
        presence: "present",
        provenance: { origin: path, generator },
      });
    },
    moved: (handle, path) => {
      const { body } = newest(handle);
      store(handle, {
        ...body,
        path,
        ...(path === null ? { content: null, char_count: 0, presence: "missing" } : {}),
        provenance: { origin: path ?? body.provenance.origin, generator: "human" },
      });
    },
    change: (handle, fields) => void store(handle, { ...newest(handle).body, ...fields }),
    load: (handle, fields) => {
      const id = objectId(`loaded_${handle}`);
      const provenance = { origin: "program", generator: "human" } as const;
      const body = { type: "idea", locked: false, content: "An idea.\n", char_count: 9 };
      store(handle, { id, ...body, provenance, ...fields });
      const entry = pool.get(handle) as PoolEntry;
      pool.set(handle, { ...entry, row: { ...entry.row, loaded: true } });
    },
    goBack: () => void turns.pop(),
    activate: (handle, activation = {}) => void active.set(handle, activation),
    deactivate: (handle) => void active.delete(handle),
    activeHandles: () => [...active.keys()],
    view: (layout, options = {}) => {
      const output = layout.render(inputOf(layout, options), last);
      last = output.record;
      views += 1;
      isAnswered = false;
      for (const id of output.deactivated ?? [])
        for (const [handle, entry] of pool) if (entry.id === id) active.delete(handle);
      return output;
    },
    again: (layout, after) => layout.render(inputOf(layout, {}, after), after),
    source: () => ({
      turns: [...turns],
      chatHandle: "chat",
      workspace: "/work",
      object: (handle, version) => {
        const stored = versions.get(`${handle}@${version}`);
        return stored === undefined ? undefined : { id: stored.body.id, handle, stored };
      },
    }),
  };
  return stage;
}

function turnOf(user: string | readonly Block[]): Turn {
  return { user, timestamp: 1, steps: [] };
}

/** Nothing was used recently. */
export const nothingUsed: Liveness = { keepsArguments: () => false, stays: () => false };

/** Returns the view of a call after a long pause, from which everything leaves that was not used recently. */
export function viewAfterPause(
  stage: ViewStage,
  layout: Layout,
  options: StageOptions = {},
): LayoutOutput {
  const cache = { read: 0.1, write: 1.25, isCold: true, rewrites: "what-follows" } as const;
  return stage.view(layout, { cache, liveness: nothingUsed, ...options });
}

/** Returns the text of each message. */
export function textsOf({ messages }: LayoutOutput): readonly string[] {
  return messages.map(textOf);
}

/** Returns the texts of a message, joined, with a mark for each other block. */
function textOf(message: ViewMessage | undefined): string {
  if (message === undefined) return "(no message)";
  if (message.role === "opaque") return "(opaque)";
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((block) => (isText(block) ? block.text : `(${block.type})`))
    .join("\n");
}

/** Returns the text of a call's result in a view, by the call's handle. */
export function resultOf({ messages }: LayoutOutput, handle: string): string {
  const id = `call_${handle.slice(1)}`;
  return textOf(messages.find((one) => one.role === "toolResult" && one.toolCallId === id));
}

/** Returns a number of different lines. */
export function lines(count: number, word = "line"): string {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1} of the text\n`).join("");
}
