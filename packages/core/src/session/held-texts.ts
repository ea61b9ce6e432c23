import type { JsonObject, ObjectId, StoredVersion } from "@self-context-manager/objects";
import { longTexts } from "../calls/large-write.ts";
import { lineFeedsOnly } from "../calls/line-ends.ts";
import { fileReferences } from "../calls/toolcall-object.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { EpochInput, HeldIn, HeldTexts } from "../view/layout.ts";

/** The questions that a layout asks about the texts of calls. */
type Asked = Required<Pick<EpochInput, "textsOf" | "replacedIn">>;

/**
 * Renders a view in which argument stubs name the versions that hold the texts. The layout asks for the calls of which
 * texts leave. That is rare, so their versions are read then, and the view is rendered again with them.
 */
export async function withHeldTexts<Output>(
  scope: SessionScope,
  render: (asked: Asked) => Output,
): Promise<Output> {
  const { heldTexts, replacedTexts } = scope;
  for (;;) {
    const asked = new Map<ObjectId, JsonObject>();
    const replaced = new Map<ObjectId, readonly string[]>();
    const output = render({
      textsOf: (call, args) => {
        if (!heldTexts.has(call)) asked.set(call, args);
        return heldTexts.get(call);
      },
      replacedIn: (call, texts) => {
        if (!replacedTexts.has(call)) replaced.set(call, texts);
        return replacedTexts.get(call);
      },
    });
    if (asked.size === 0 && replaced.size === 0) return output;
    for (const [call, args] of asked) heldTexts.set(call, await heldTextsOf(scope, call, args));
    for (const [call, texts] of replaced)
      replacedTexts.set(call, await replacedIn(scope, call, texts));
  }
}

/**
 * Returns the version before that of a call, of the file that the call changed, if it holds all texts. A text that an
 * earlier replacement of the same call made is in no version.
 */
async function replacedIn(
  scope: SessionScope,
  call: ObjectId,
  texts: readonly string[],
): Promise<HeldIn | undefined> {
  const { store } = scope.dependencies;
  for await (const made of versionsMade(scope, call)) {
    const { id: file } = made.body;
    const version = made.version - 1;
    const before = version === 0 ? undefined : await store.get(file, { version });
    if (holds(before?.body.content, texts)) return { file, version };
  }
  return undefined;
}

/**
 * Returns the versions of a file that hold the long texts of a call. A version is named only if it contains the texts: a
 * patch, for example, is in no version.
 */
async function heldTextsOf(
  scope: SessionScope,
  call: ObjectId,
  args: JsonObject,
): Promise<HeldTexts | undefined> {
  const { store } = scope.dependencies;
  const { replaced, others } = longTexts(args);
  for await (const made of versionsMade(scope, call)) {
    const { id: file } = made.body;
    if (!holds(made.body.content, others)) continue;
    const { version } = made;
    if (replaced.length === 0) return { file, version };
    const last = version - 1;
    const earlier = last === 0 ? undefined : await store.get(file, { version: last });
    return { file, version, before: holds(earlier?.body.content, replaced) ? last : 0 };
  }
  return undefined;
}

/** Returns the versions of files that a call made, of the files in the pool. */
async function* versionsMade(
  { state, dependencies: { store } }: SessionScope,
  call: ObjectId,
): AsyncGenerator<StoredVersion> {
  for (const reference of fileReferences(state.pool.get(call)?.stored.body)) {
    if (reference.ref !== "static" || !state.pool.has(reference.id)) continue;
    const made = await store.get(reference.id, { txId: reference.tx_id });
    if (made !== undefined) yield made;
  }
}

/** Whether a content contains all texts. Tools write the line ends and the byte order mark that a file has. */
function holds(content: string | null | undefined, texts: readonly string[]): boolean {
  if (typeof content !== "string") return false;
  const text = lineFeedsOnly(content);
  return texts.every((one) => text.includes(lineFeedsOnly(one)));
}
