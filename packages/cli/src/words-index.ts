import { markdownParser } from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import { updateIndex, updateSearch } from "@self-context-manager/links";
import type { SearchIndex } from "@self-context-manager/objects";

import type { CommandCall } from "./command.ts";
import { fewVersions, type IndexState, indexState } from "./index-state.ts";

/** How far the index of words is. */
export interface WordsRead extends IndexState {
  /** The versions that could not be read just now. */
  readonly damaged: readonly string[];
}

type ReadingCall = Pick<CommandCall, "progress" | "interruption">;

/** Brings the index of words up to date if only a few versions are missing. */
export async function readFewWords(
  store: ObjectStore,
  search: SearchIndex,
  call: ReadingCall,
): Promise<WordsRead> {
  const state = await indexState(store, await search.position());
  if (state.all - state.read > fewVersions) return { ...state, damaged: [] };
  return await readWords(store, search, call);
}

/** Brings the index of words up to date, until the user interrupts. Each step is kept. */
export async function readWords(
  store: ObjectStore,
  search: SearchIndex,
  call: ReadingCall,
): Promise<WordsRead> {
  const damaged: string[] = [];
  const state = await untilInterrupted(
    call,
    "reading words",
    await indexState(store, await search.position()),
    async (options) =>
      void (await updateSearch(store, search, {
        ...options,
        onDamaged: (id, version) => void damaged.push(`version ${version} of object ${id}`),
      })),
  );
  return { ...state, damaged };
}

/** Brings the index of notes and their links up to date, until the user interrupts. Each step is kept. */
export async function readNotes(store: ObjectStore, call: ReadingCall): Promise<IndexState> {
  return await untilInterrupted(
    call,
    "reading notes",
    await indexState(store, await store.documents.position(markdownParser.name)),
    async (options) => void (await updateIndex(store, markdownParser, options)),
  );
}

interface Reading {
  readonly mayContinue: () => boolean;
  readonly onLeft: (left: number) => void;
}

async function untilInterrupted(
  call: ReadingCall,
  doing: string,
  { read, all }: IndexState,
  update: (reading: Reading) => Promise<void>,
): Promise<IndexState> {
  using progress = call.progress(doing);
  let isInterrupted = false;
  let state = { read, all };
  // Signals are waited for only if the work can be long.
  if (all - read > fewVersions) void call.interruption().then(() => (isInterrupted = true));
  await update({
    mayContinue: () => !isInterrupted,
    onLeft(left) {
      state = { read: Math.max(0, all - left), all };
      progress.come(all === 0 ? 1 : state.read / all, state.read);
    },
  });
  return isInterrupted ? state : { read: all, all };
}
