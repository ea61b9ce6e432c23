import type { ServerResponse } from "node:http";

import type { Changes, ObjectId, ObjectStore } from "@self-context-manager/objects";

import type { ChangeNotice } from "../answers.ts";

/** Milliseconds between two looks at the store, and after which a line without a notice shows that the stream lives. */
const pause = { poll: 500, heartbeat: 15_000 };

/** The number of versions of one notice, and of objects that it names. */
const most = { versions: 1_000, objects: 200 };

/**
 * Writes a line for each change of the store while the client listens. Rejects if the store cannot be read; the client
 * then connects again and gets the reason.
 */
export async function streamChanges(
  response: ServerResponse,
  store: ObjectStore,
  from: string,
  signal: AbortSignal,
): Promise<void> {
  let position = from;
  let written = Date.now();
  const write = (line: string): void => {
    written = Date.now();
    response.write(`${line}\n`);
  };
  // The headers must arrive before the first change.
  response.flushHeaders();
  write("");
  while (!signal.aborted && !response.destroyed) {
    const changes = await store.changesSince(position, { limit: most.versions });
    if (changes.versions.length > 0) {
      position = changes.position;
      write(JSON.stringify(noticeOf(changes)));
      if (changes.versions.length === most.versions) continue;
    }
    if (Date.now() - written >= pause.heartbeat) write("");
    await waited(pause.poll, signal);
  }
  response.end();
}

function noticeOf({ position, versions }: Changes): ChangeNotice {
  const types = new Map<ObjectId, string>();
  for (const { body } of versions) types.set(body.id, body.type);
  return {
    position,
    changed: [...types].slice(0, most.objects).map(([id, type]) => ({ id, type })),
  };
}

async function waited(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((done) => {
    const timer = setTimeout(done, milliseconds);
    timer.unref();
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        done();
      },
      { once: true },
    );
  });
}
