import type { ObjectId } from "@self-context-manager/core";
import type { MissReason, PartChange, TimelineCall } from "@self-context-manager/core/inspect";
import type {
  CallAnswer,
  CallMessage,
  GraphAnswer,
  ObjectAnswer,
  SessionAnswer,
  SessionRow,
  SnapshotData,
  VersionAnswer,
} from "../src/answers.ts";

/** How large the made-up session is. */
export interface SampleOptions {
  readonly calls: number;
  readonly objects: number;
  readonly seed?: number;
}

type EpochEnd = NonNullable<NonNullable<TimelineCall["epoch"]>["endedBy"]>;
type SamplePart = SessionAnswer["timeline"]["parts"][number];

const start = Date.UTC(2026, 10, 26, 9);
const factor = 1.08;
const overhead = 5200;
/** Parts of the session that are no objects. */
const plainParts = 4;
const sessionId = "session-1" as ObjectId;

const at = (call: number): string => new Date(start + call * 37_000).toISOString();
const hex = (seed: number): string =>
  ((seed + 1) * 2654435761).toString(16).padStart(16, "0").repeat(4).slice(0, 64);

/** Numbers from 0 to 1 that are the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/** Answers like those for a long session, made without a store. Some names and contents are hostile. */
export function sampleAnswers(options: SampleOptions): SnapshotData {
  const session = sampleSession(options);
  const answers: Record<string, unknown> = {
    store: { place: "/home/ada/.scm/store.sqlite", kind: "sqlite", position: "tx:1" },
    sessions: { sessions: [session.session, ...otherRows] },
    [`sessions/${sessionId}`]: session,
  };
  const shown = new Set([1, 2, 3, Math.ceil(options.calls / 2), options.calls]);
  for (const { call } of session.timeline.calls)
    if (options.calls <= 400 || shown.has(call))
      answers[`sessions/${sessionId}/calls/${call}`] = callAnswer(session, call);
  for (const [index, part] of session.timeline.parts.slice(0, 60).entries())
    if (part.id !== undefined) {
      answers[`objects/${part.id}`] = objectAnswer(session, index);
      answers[`objects/${part.id}/graph`] = graphAnswer(session, index);
      for (const version of [1, 2, 3])
        answers[`objects/${part.id}/versions/${version}`] = versionAnswer(part.id, index, version);
    }
  return { format: 1, answers, messages: {} };
}

/** A session that reads files, runs commands, and ends an epoch from time to time. */
export function sampleSession({ calls: count, objects, seed = 7 }: SampleOptions): SessionAnswer {
  const random = numbers(seed);
  const parts = sampleParts(objects);
  const tokens = new Float64Array(parts.length);
  const calls: TimelineCall[] = [];
  const reasons: readonly EpochEnd[] = ["carried", "carried", "cold", "budget"];
  let [epoch, place, before, added, appendOnly] = [1, 0, 0, 0, 0];
  for (let call = 1; call <= count; call++) {
    const changes: PartChange[] = [];
    const set = (part: number, value: number): void => {
      if (tokens[part] === value) return;
      tokens[part] = value;
      changes.push([part, value]);
    };
    const isNew = place > 18 && random() < 0.035;
    place = isNew ? 1 : place + 1;
    if (isNew) epoch++;
    const left: string[] = [];
    if (call === 1) set(0, 2400);
    if (call % 11 === 1) set(1, (tokens[1] ?? 0) + 120 + Math.floor(random() * 300));
    set(2, (tokens[2] ?? 0) + 60 + Math.floor(random() * 240));
    if (isNew) {
      for (let part = plainParts; part < parts.length; part++)
        if ((tokens[part] ?? 0) > 0 && random() < 0.7) {
          left.push(parts[part]?.handle ?? "");
          set(part, 0);
        }
      set(2, Math.floor((tokens[2] ?? 0) * 0.7));
      set(3, Math.min(6000, (tokens[3] ?? 0) + left.length * 16));
    }
    const arrives = added < objects && (random() < (objects / count) * 1.6 || call < 4);
    if (arrives) set(plainParts + added++, 200 + Math.floor(random() ** 3 * 9000));
    else if (random() < 0.1 && added > 0)
      set(plainParts + Math.floor(random() * added), 300 + Math.floor(random() ** 2 * 5000));
    const sum = tokens.reduce((total, value) => total + value, 0);
    const total = sum * factor + overhead;
    const grown = Math.max(80, sum - before);
    const isProvider = !isNew && call > 1 && random() < 0.006;
    const shared = call === 1 ? 0 : isNew ? sum * 0.3 : Math.max(0, sum - grown);
    const cached = call === 1 || isProvider ? 0 : shared * factor + overhead;
    const fresh = total - cached;
    const real = total * (0.98 + random() * 0.05);
    appendOnly += grown;
    const isAnswered = call < count - 1 && call % 40 !== 39;
    const usage = {
      input: Math.round(real * 0.002),
      cacheRead: Math.round((cached / total) * real),
      cacheWrite: Math.round((fresh / total) * real * 0.99),
    };
    const missed = (isNew || isProvider) && isAnswered ? Math.max(0, before * factor - cached) : 0;
    const reason: MissReason = isNew ? "epoch-ended" : "provider";
    const names = left.slice(0, 3).join(", ");
    calls.push({
      call,
      at: { tx_id: call * 2, tx_time: at(call) },
      layout: "epoch",
      tokens: sum,
      epoch: {
        number: epoch,
        call: place,
        left,
        ...(epoch === 1 ? {} : { endedBy: reasons[epoch % reasons.length] ?? "carried" }),
      },
      sentAt: start + call * 37_000,
      model: "anthropic/claude-sonnet-5-5",
      messages: 3 + call * 2,
      changes,
      shared,
      repeated: call % 5 === 0 ? 320 : 0,
      cost: {
        cached,
        fresh,
        units: cached * 0.1 + fresh * 1.25,
        plainUnits: (appendOnly * factor + overhead) * 0.1 + grown * 1.25,
      },
      ...(isAnswered
        ? {
            usage,
            reportedUnits: usage.input + usage.cacheRead * 0.1 + usage.cacheWrite * 1.25,
          }
        : {}),
      ...(missed === 0
        ? {}
        : {
            miss: {
              tokens: missed,
              reason,
              text: isNew
                ? `Epoch ${epoch - 1} ended: ${names} left the view, so the bytes after the first of them are new.`
                : "All bytes of the call before were sent again. The provider no longer had them.",
              isReported: call % 2 === 0,
            },
          }),
      ...(call === 77 ? { problem: "version 77 of view-1 is missing" } : {}),
    });
    before = sum;
  }
  return {
    session: sessionRow(calls),
    timeline: { parts, calls, calibration: { factor, overhead } },
  };
}

function sampleParts(objects: number): readonly SamplePart[] {
  return [
    { kind: "system", name: "system prompts" },
    { kind: "messages", name: "messages of the user and the host" },
    { kind: "answers", name: "the model's answers" },
    { kind: "lines", name: "lines of the context manager" },
    ...Array.from({ length: objects }, (_, index): SamplePart => {
      const kind = index % 9 === 8 ? "user" : index % 3 === 0 ? "toolcall" : "file";
      const letter = kind === "file" ? "f" : kind === "user" ? "u" : "t";
      return {
        kind,
        handle: `${letter}${index + 1}`,
        id: `object-${index}` as ObjectId,
        name: nameOf(index, kind),
      };
    }),
  ];
}

function sessionRow(calls: readonly TimelineCall[]): SessionRow {
  const sumOf = (value: (call: TimelineCall) => number): number =>
    calls.reduce((sum, call) => sum + value(call), 0);
  return {
    id: sessionId,
    harness: "pi",
    hostId: "019ac3f2-5d1e-7c3a-9b7e-0d6a2f1c4e55",
    workspace: "/home/ada/work/shop",
    firstAt: at(0),
    lastAt: at(calls.length),
    calls: calls.length,
    tokens: calls.at(-1)?.tokens ?? 0,
    cost: {
      units: sumOf(({ cost }) => cost?.units ?? 0),
      plainUnits: sumOf(({ cost }) => cost?.plainUnits ?? 0),
    },
    summaries: {
      turns: 3,
      calls: 4,
      input: 21_400,
      output: 1_290,
      cost: 0.0279,
      model: "anthropic/claude-haiku-4-5",
    },
    reported: {
      calls: calls.filter(({ usage }) => usage !== undefined).length,
      input: sumOf(({ usage }) => usage?.input ?? 0),
      cacheRead: sumOf(({ usage }) => usage?.cacheRead ?? 0),
      cacheWrite: sumOf(({ usage }) => usage?.cacheWrite ?? 0),
    },
  };
}

const otherRows: readonly SessionRow[] = [
  {
    id: "session-2" as ObjectId,
    harness: "openclaw",
    hostId: "agent:main:telegram:\u202Egpj.elif",
    workspace: "/home/ada/.openclaw/workspace",
    firstAt: at(-9000),
    lastAt: at(-8000),
    calls: 41,
    tokens: 18_400,
    cost: { units: 91_000, plainUnits: 88_000 },
  },
  {
    id: "session-3" as ObjectId,
    harness: "ai-sdk",
    hostId: "chat-42",
    firstAt: at(-20_000),
    lastAt: at(-19_990),
    calls: 0,
    tokens: 0,
    problem: "version 4 of session-3 has another hash than it was stored with",
  },
];

function nameOf(index: number, kind: string): string {
  if (index === 4) return "src/\u202Etx.evil<script>alert(1)</script>.ts";
  if (kind === "toolcall") return `bash: npm test -- --run part-${index}`;
  if (kind === "user") return `pasted log ${index}`;
  const folders = ["src/cart", "src/orders", "test", "docs/guide", "packages/checkout/src/pages"];
  return `${folders[index % folders.length]}/module-${index}.ts`;
}

function callAnswer({ timeline, session }: SessionAnswer, call: number): CallAnswer {
  const found = timeline.calls[call - 1];
  if (found === undefined) throw new RangeError(`there is no call ${call}`);
  const named = timeline.parts.slice(plainParts, plainParts + Math.min(24, call));
  const version = 1 + (call % 3);
  const question = { role: "user", content: "Please find out why the cart loses its items." };
  const messages: CallMessage[] = [
    {
      hash: hex(0),
      isShared: call > 1,
      json: JSON.stringify(question),
      entry: { what: "user", place: "turn 1", how: "unchanged", tokens: 14 },
      parts: [],
    },
    ...named.flatMap((part, index) =>
      stepMessages(part, index, { version, isShared: index < named.length - 2 }),
    ),
  ];
  const { at: point, layout, tokens, epoch } = found;
  const isDamaged = call === 3;
  return {
    session: session.id,
    call,
    at: point,
    layout,
    tokens,
    ...(epoch === undefined ? {} : { epoch }),
    isVerified: !isDamaged,
    problems: isDamaged ? [{ text: "the rebuilt messages differ from those that were sent" }] : [],
    systemPrompts: [
      {
        origin: "host",
        id: "prompt-1" as ObjectId,
        version: 1,
        text: `You are a coding agent.\n${"Be exact and brief.\n".repeat(60)}`,
        isShared: call > 1,
      },
    ],
    messages: isDamaged
      ? messages.map((one, index) => (index === 2 ? withoutJson(one) : one))
      : messages,
    ...(call === 1
      ? {}
      : {
          difference: {
            type: "appended",
            sharedMessages: Math.max(0, messages.length - 4),
            versions: [{ handle: "f2", from: 1, to: 2 }],
            gone: epoch?.call === 1 ? epoch.left : [],
            added: ["f5"],
            systemPrompts: [],
          },
        }),
  };
}

function stepMessages(
  part: SamplePart,
  index: number,
  { version, isShared }: { readonly version: number; readonly isShared: boolean },
): readonly CallMessage[] {
  const place = `turn 1, step ${index + 1}`;
  const answer = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "The cart is written in one place only." },
      { type: "text", text: `I look at **${part.name}**.` },
      { type: "toolCall", id: `call_${index}`, name: "read", arguments: { path: part.name } },
    ],
  };
  const result = {
    role: "toolResult",
    toolCallId: `call_${index}`,
    toolName: "read",
    content:
      index === 2
        ? [{ type: "image", mimeType: "image/png", data: dot }]
        : [{ type: "text", text: contentOf(index, version) }],
    isError: false,
  };
  return [
    {
      hash: hex(index * 2 + 1),
      isShared,
      json: JSON.stringify(answer),
      entry: { what: "answer", place, how: "unchanged", tokens: 60 },
      parts: [],
    },
    {
      hash: hex(index * 2 + 2),
      isShared,
      json: JSON.stringify(result),
      entry: { what: "result", place, how: "whole", tokens: 900 },
      parts: [
        {
          handle: part.handle ?? "",
          version,
          ...(part.id === undefined ? {} : { id: part.id }),
        },
      ],
    },
  ];
}

function withoutJson({ hash, isShared, parts }: CallMessage): CallMessage {
  return { hash, isShared, parts, isDamaged: true };
}

/** A picture of one pixel. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function contentOf(index: number, version: number): string {
  if (index === 9) return "x".repeat(5_000_000);
  const lines = Array.from(
    { length: 30 + (index % 40) },
    (_, line) => `export const value${line} = compute(${line * index}, "part ${line}");`,
  );
  lines[4] = `export const limit = ${version * 10}; // version ${version}`;
  if (version > 1) lines.splice(10, 2, "// one line less", `const added = ${version};`, "");
  return `${lines.join("\n")}\n`;
}

function versionAnswer(id: ObjectId, index: number, version: number): VersionAnswer {
  const isDamaged = index === 6;
  return {
    id,
    version,
    type: index % 3 === 1 ? "toolcall" : "file",
    mediaType: "text/plain",
    metadata: [
      ["presence", "present"],
      ["size", `${version},120 bytes`],
    ],
    content: contentOf(index, version),
    fields: [{ name: "arguments", json: JSON.stringify({ path: "src/cart.ts", limit: 100 }) }],
    isVerified: !isDamaged,
    ...(isDamaged ? { problem: "the content has another hash than it was stored with" } : {}),
  };
}

function objectAnswer({ timeline, session }: SessionAnswer, index: number): ObjectAnswer {
  const part = timeline.parts[index];
  if (part?.id === undefined) throw new RangeError(`part ${index} is no object`);
  const neighbour = timeline.parts[index > plainParts ? index - 1 : index + 1] ?? part;
  const other = { id: neighbour.id ?? part.id, type: neighbour.kind, name: neighbour.name };
  return {
    id: part.id,
    type: part.kind,
    name: part.name,
    ...(index === 5 ? { nickname: "cart" } : {}),
    version: 3,
    metadata: [
      ["path", `/home/ada/work/shop/${part.name}`],
      ["presence", "present"],
      ["size", "3,120 bytes"],
      ["git branch", "fix/cart-\u202Eevil"],
    ],
    versions: [1, 2, 3].map((version) => ({
      version,
      at: at(version * 20 + index),
      transaction: version * 40 + index,
      generator: version === 1 ? "system" : "agent",
      characters: contentOf(index, version).length,
      contentHash: hex(index + version),
      metadataViewHash: hex(index + version + 1000),
      objectHash: hex(index + version + 2000),
    })),
    inView: [
      {
        session: session.id,
        sessionName: "shop",
        calls: session.calls,
        handle: part.handle ?? "",
        runs: [
          { from: 2, to: Math.max(2, Math.floor(session.calls / 3)), version: 1 },
          {
            from: Math.floor(session.calls / 2),
            to: Math.floor(session.calls * 0.8),
            version: 2,
          },
        ],
      },
    ],
    references: [{ ...other, path: "arguments.path" }],
    referrers: [{ ...other, path: "session.known[3]" }],
    links: [
      { text: "limits#Burst", relation: "part_of", to: other },
      { text: "a note that is nowhere" },
      { text: "two notes", to: other, isAmbiguous: true },
    ],
    backlinks: [{ ...other, relation: "links_to" }],
  };
}

function graphAnswer({ timeline }: SessionAnswer, index: number): GraphAnswer {
  const near = timeline.parts.flatMap(({ id, kind, name }) =>
    id === undefined ? [] : [{ id, type: kind, name }],
  );
  const nodes = Array.from(
    { length: 24 },
    (_, step) => near[(index - plainParts + step) % near.length],
  )
    .flatMap((node, step) =>
      node === undefined ? [] : [{ ...node, distance: step === 0 ? 0 : step < 8 ? 1 : 2 }],
    )
    .slice(0, near.length);
  const [middle] = nodes;
  if (middle === undefined) return { nodes, edges: [], isCut: false };
  return {
    nodes,
    edges: nodes.slice(1).map(({ id }, place) => ({
      from: place < 7 ? middle.id : (nodes[1 + (place % 7)]?.id ?? middle.id),
      to: id,
      relation: place % 2 === 0 ? "part_of" : "arguments.path",
      kind: place % 2 === 0 ? "link" : "reference",
    })),
    isCut: true,
  };
}
