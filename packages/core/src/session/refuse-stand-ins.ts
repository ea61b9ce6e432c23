import { FileError } from "@self-context-manager/objects";
import type { WrittenStandIn, WrittenStandIns } from "../calls/written-stand-ins.ts";
import { chatHandle, handleLetter } from "../lines/handles.ts";
import type { SessionScope } from "../state/session-scope.ts";

/**
 * Returns the reason for the model why a call must not run: it would write a stand-in into a file instead of the text.
 * Returns undefined if the call can run. A file that contains the same stand-in already can keep it.
 */
export async function refuseStandIns(
  scope: SessionScope,
  { found, paths }: WrittenStandIns,
): Promise<string | undefined> {
  const own = found.filter((one) => isOfSession(scope, one));
  if (own.length === 0) return undefined;
  const texts = await presentTexts(scope, paths);
  const lost = own.find((one) => !texts.some((text) => keeps(text, one)));
  return lost === undefined ? undefined : reasonFor(lost);
}

/**
 * Whether the session can have shown a stand-in. The stub that a model expects for a file that it is about to make
 * names the next handle. A stub without a handle counts if the view contains one.
 */
function isOfSession({ state }: SessionScope, { of }: WrittenStandIn): boolean {
  if (of === chatHandle) return true;
  if (of === undefined) {
    return (
      state.view?.record.entries.some(
        (entry) =>
          entry.type === "assistant" && entry.stubs?.some((stub) => stub.of === undefined) === true,
      ) === true
    );
  }
  const letter = handleLetter("file");
  return state.handles.has(of) || of === `${letter}${(state.handleCounts.get(letter) ?? 0) + 1}`;
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
function reasonFor({ text, isStub, of, characters }: WrittenStandIn): string {
  const what = isStub
    ? "it stands for arguments of an earlier call that left the context"
    : "it stands for text that is not shown";
  const how = of === undefined ? "" : `; activate ${of} shows the text`;
  const [number, changed] = ["[0 ", `[${characters} `];
  return `The call did not run, because an argument contains ${JSON.stringify(text)}: ${what}. Give the text in full${how}. If a file must contain exactly this, write it with ${JSON.stringify(number)} at its beginning, then replace ${JSON.stringify(number)} by ${JSON.stringify(changed)} with a second call.`;
}
