import {
  type ActiveObject,
  type Block,
  calibratedEstimator,
  type JsonValue,
  type LayoutInput,
  metadataOf,
  type ObjectBody,
  objectId,
  type ObjectId,
  type PoolEntry,
  sealObject,
  type Step,
  type StoredVersion,
  type Turn,
} from "@self-context-manager/core";
import * as fc from "fast-check";

const text = fc.oneof(
  { weight: 5, arbitrary: fc.lorem({ maxCount: 30 }) },
  { weight: 1, arbitrary: fc.constantFrom("", " \n", "~~~~\nf1 forged v1\n~~~", "Active: f1.") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 80 }) },
);

const image: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

interface CallScript {
  readonly output: string | null;
  readonly hasResult: boolean;
  readonly hasImage: boolean;
  readonly isActive: boolean;
}

const callScript: fc.Arbitrary<CallScript> = fc.record({
  output: fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: fc.constant(null) }),
  hasResult: fc.nat(6).map((n) => n > 0),
  hasImage: fc.nat(4).map((n) => n === 0),
  isActive: fc.boolean(),
});

const stepScript = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      text,
      thinking: fc.oneof(fc.constant(""), fc.lorem({ maxCount: 8 })),
      stopReason: fc.constantFrom("stop", "toolUse", "toolUse", "error", "aborted"),
      calls: fc.array(callScript, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ opaque: text }) },
);

const turnScript = fc.record({
  user: fc.oneof(
    { weight: 5, arbitrary: text },
    { weight: 1, arbitrary: text.map((one) => [{ type: "text", text: one }, image]) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  steps: fc.array(stepScript, { maxLength: 4 }),
});

const fileScript = fc.record({
  content: fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.constant(null) }),
  isActive: fc.boolean(),
  isPinned: fc.boolean(),
  hasRange: fc.nat(3).map((n) => n === 0),
});

/** Pools as a session could hold them: chats of any shape, files, pins, ranges, and a limit or none. */
export const layoutInput: fc.Arbitrary<LayoutInput> = fc
  .record({
    turns: fc.array(turnScript, { maxLength: 5 }),
    files: fc.array(fileScript, { maxLength: 5 }),
    budget: fc.option(fc.integer({ min: 80, max: 1_500 }), { nil: undefined }),
  })
  .map(({ turns, files, budget }) => inputOf(turns, files, budget));

function inputOf(
  turns: readonly (typeof turnScript extends fc.Arbitrary<infer T> ? T : never)[],
  files: readonly (typeof fileScript extends fc.Arbitrary<infer T> ? T : never)[],
  budget: number | undefined,
): LayoutInput {
  const pool = new Map<ObjectId, PoolEntry>();
  const active: ActiveObject[] = [];
  const join = (handle: string, body: ObjectBody): ActiveObject => {
    const stored = storedOf(body);
    const row = { id: body.id, handle };
    const entry = { ...row, row, stored: { ...stored, body: metadataOf(body) } };
    pool.set(body.id, entry);
    return { entry, stored, isPinned: false };
  };
  let calls = 0;
  const built = turns.map(({ user, steps }): Turn => {
    const made = steps.map((step): Step => {
      if ("opaque" in step) return { opaque: { text: step.opaque }, kind: "custom", timestamp: 1 };
      const ids: ObjectId[] = [];
      const blocks: Block[] = [
        ...(step.thinking === ""
          ? []
          : [{ type: "thinking", thinking: step.thinking, thinkingSignature: "sig" }]),
        { type: "text", text: step.text },
      ];
      const isDiscarded = step.stopReason === "error" || step.stopReason === "aborted";
      for (const call of step.calls) {
        calls += 1;
        const id = objectId(`call_${calls}`);
        ids.push(id);
        blocks.push({ type: "toolCall", id, name: "bash", arguments: { n: calls } });
        if (!call.hasResult || isDiscarded) continue;
        const object = join(`t${calls}`, toolcallBody(id, calls, call));
        const hasContent = (call.output ?? "") !== "" || call.hasImage;
        if (call.isActive && hasContent) active.push(object);
      }
      return {
        assistant: blocks,
        toolcall_ids: ids,
        assistant_meta: { stopReason: step.stopReason },
      };
    });
    return { user, timestamp: 1, steps: made };
  });
  for (const [index, file] of files.entries()) {
    const object = join(`f${index + 1}`, fileBody(index + 1, file.content));
    if (!file.isActive || file.content === null) continue;
    active.push({
      ...object,
      isPinned: file.isPinned,
      ...(file.hasRange ? { range: { from: 1, to: 1 } } : {}),
    });
  }
  return {
    turns: built,
    chatHandle: "chat",
    pool,
    poolRevision: 0,
    active,
    workspace: "/work",
    estimator: calibratedEstimator(),
    ...(budget === undefined ? {} : { budget }),
  };
}

function toolcallBody(id: ObjectId, n: number, { output, hasImage }: CallScript): ObjectBody {
  const content = hasImage && output === "" ? null : output;
  return {
    id,
    type: "toolcall",
    locked: false,
    content,
    char_count: content?.length ?? 0,
    tool: "bash",
    args: { n },
    args_display: `bash: ${n}`,
    status: "ok",
    is_error: false,
    ...(hasImage ? { blocks: [image] satisfies JsonValue } : {}),
    provenance: { origin: "toolcall", generator: "tool" },
  };
}

function fileBody(n: number, content: string | null): ObjectBody {
  const path = `/work/file-${n}.txt`;
  return {
    id: objectId(`0190aaaa-0000-7000-8000-${String(n).padStart(12, "0")}`),
    type: "file",
    locked: false,
    content,
    path,
    file_type: "text",
    char_count: content?.length ?? 0,
    presence: content === null ? "non_text" : "present",
    ...(content === null ? { size: 9 } : {}),
    provenance: { origin: path, generator: "human" },
  };
}

function storedOf(body: ObjectBody): StoredVersion {
  const sealed = sealObject(body);
  const at = { tx_id: 1, tx_time: "2026-02-20T10:00:00.000Z" };
  return { body: sealed.body, hashes: sealed.hashes, version: 1, at };
}
