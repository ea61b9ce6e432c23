import { FileError } from "@self-context-manager/objects";
import type { WrittenStandIn, WrittenStandIns } from "../calls/written-stand-ins.ts";
import { chatHandle } from "../lines/handles.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";

/**
 * Returns the reason for the model why a call must not run: it would write a stand-in into a file instead of the text.
 * Returns undefined if the call can run. A file that contains the same stand-in already can keep it.
 */
export async function refuseStandIns(
  scope: SessionScope,
  { found, paths }: WrittenStandIns,
): Promise<string | undefined> {
  const own = found.filter(({ of }) => of !== undefined || showsStubWithoutHandle(scope.state));
  if (own.length === 0) return undefined;
  const texts = await presentTexts(scope, paths);
  const lost = own.find((one) => !texts.some((text) => keeps(text, one)));
  return lost === undefined ? undefined : reasonFor(scope.state, lost);
}

/**
 * Whether the last view contains a stub without a handle. Only then such a text is a stand-in, because files and outputs
 * of other programs contain it too. A text with a handle always is one: a model makes up the handles of files that it is
 * about to write, and repeats those of the standing instruction.
 */
function showsStubWithoutHandle({ sent: { view } }: SessionState): boolean {
  return (
    view?.record.entries.some(
      (entry) =>
        entry.type === "assistant" &&
        entry.stubs?.some(({ of, before }) => of === undefined || before === 0) === true,
    ) === true
  );
}

/** Whether a file has a stand-in already. One that would be the whole content must be the whole content already. */
function keeps(text: string, { text: standIn, isAlone }: WrittenStandIn): boolean {
  return isAlone ? text.trim() === standIn : text.includes(standIn);
}

async function presentTexts(
  { dependencies: { files, workspace } }: SessionScope,
  paths: readonly string[],
): Promise<readonly string[]> {
  const texts = await Promise.all(
    paths.map(async (path) => {
      try {
        return (await files.read(files.resolve(path, workspace))).text;
      } catch (error) {
        // A file that cannot be read has no stand-in that it could keep.
        if (FileError.is(error)) return null;
        throw error;
      }
    }),
  );
  return texts.filter((text) => text !== null);
}

/** Returns the reason for the model. It quotes only the stand-in, whose form is fixed. */
function reasonFor(state: SessionState, one: WrittenStandIn): string {
  const { text, of, version, characters } = one;
  const isKnown = of === undefined || of === chatHandle || hasVersion(state, of, version);
  const what = isKnown ? meaningOf(one) : "text of this form stands for text that left the context";
  // The file can have changed since, so only the version certainly has the text.
  const name = version === undefined ? of : `${of}@${version}`;
  const how = of === undefined || !isKnown ? "" : `; activate ${name} shows the text`;
  const [number, changed] = ["[0 ", `[${characters} `];
  return `The call did not run, because an argument contains ${JSON.stringify(text)}: ${what}. Give the text in full${how}. If a file must contain exactly this, write it with ${JSON.stringify(number)} at its beginning, then replace ${JSON.stringify(number)} by ${JSON.stringify(changed)} with a second call.`;
}

function hasVersion({ pool }: SessionState, handle: string, version: number | undefined): boolean {
  const id = pool.handles.get(handle);
  if (id === undefined || version === undefined) return id !== undefined;
  return version <= (pool.get(id)?.stored.version ?? 0);
}

function meaningOf({ isStub }: WrittenStandIn): string {
  return isStub
    ? "it stands for arguments of an earlier call that left the context"
    : "it stands for text that is not shown";
}
