import {
  type ContextSession,
  type FileSource,
  type SessionDependencies,
  silentLogger,
  type ViewOptions,
  readList,
} from "@self-context-manager/core";
import { FileError } from "@self-context-manager/core/host";
import { objectId } from "@self-context-manager/objects";
import { setImmediate } from "node:timers/promises";
import { uuidv7 } from "uuidv7";

import { classifyCall, fileName } from "../corpus/classify-call.ts";
import type { RecordedMessage } from "../read/recorded-session.ts";
import { numberedRows, recordedCodec } from "./recorded-codec.ts";
import type { MeasuredView } from "./session-run.ts";
import type { StrategyParts } from "./strategies.ts";

/** The dependencies of a replay's sessions, with the given policy and layout. */
export function replayDependencies(
  store: SessionDependencies["store"],
  { policy, layout }: Pick<StrategyParts, "policy" | "layout">,
): SessionDependencies {
  return {
    store,
    files: noFiles,
    ids: { next: () => objectId(uuidv7()) },
    logger: silentLogger,
    policy,
    layout,
    workspace: "/",
    readLimits: { lines: 2000, characters: 200_000 },
    toolFacts: classifyCall,
    fileKey: fileName,
  };
}

/** One model call of a full run. */
export interface FullCall {
  readonly view: MeasuredView;
  /** The time for ingesting the messages and making the view, in milliseconds. */
  readonly time: number;
}

/** Lets a session ingest a segment call by call, as from a host, and makes its view before each model call. */
export async function* fullRun(
  session: ContextSession,
  rows: readonly RecordedMessage[],
  options: ViewOptions,
): AsyncGenerator<FullCall, void, undefined> {
  const host = numberedRows(rows);
  for (const [index, { row }] of host.entries()) {
    if (row.role !== "assistant") continue;
    const heard = host.slice(0, index);
    // A host waits for its model between calls, so work that the runtime defers until then is not part of a call.
    await setImmediate();
    const start = performance.now();
    const view = await session.ingestAndView(readList(heard, recordedCodec), options);
    yield { view, time: performance.now() - start };
  }
  await session.ingest(readList(host, recordedCodec));
}

/** The files of a recording are not available. */
const noFiles: FileSource = {
  resolve: (path) => path,
  list: async () => await Promise.resolve([]),
  async stat() {
    return undefined;
  },
  async read(path) {
    throw new FileError(
      "FILE_MISSING",
      `${path} exists only in a recording; a replay reads no files`,
    );
  },
};
