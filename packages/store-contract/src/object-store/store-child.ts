import {
  type ObjectBody,
  objectId,
  type ObjectId,
  type ObjectStore,
  type SealedObject,
  sealObject,
  StoreError,
  type StoredVersion,
} from "@self-context-manager/objects";
import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

import { sample } from "./samples.ts";

export { sample } from "./samples.ts";

/** The job of a child process, given as the last argument of its command line. */
export type ChildJob =
  | { readonly job: "write" }
  | { readonly job: "count"; readonly name: string; readonly times: number }
  | { readonly job: "answer" }
  | { readonly job: "rewrite" };

/** The ids of the objects that the child writes. */
export const written: Readonly<Record<"log" | "left" | "right", ObjectId>> = {
  log: objectId("log"),
  left: objectId("left"),
  right: objectId("right"),
};

/** A text that the laws about rewrites write and remove. */
export const rewriteSecret = "qZ7xW2vK9pLmT4sBn8Yd";

/** What a rewrite leaves instead. */
export const rewriteMark = "[forgotten: 2026-11-30, a test]";

/** Returns a version with the mark instead of the secret, in values and in names of fields; undefined if it has none. */
export function withoutSecret({ body }: StoredVersion): SealedObject | undefined {
  const text = JSON.stringify(body);
  return text.includes(rewriteSecret)
    ? sealObject(JSON.parse(text.replaceAll(rewriteSecret, rewriteMark)) as ObjectBody)
    : undefined;
}

export interface Acknowledgement {
  readonly version: number;
  readonly object_hash: string;
}

/** Runs the job that a law about processes needs in a child process. The child program of a place calls it. */
export async function runStoreChild(open: () => Promise<ObjectStore>): Promise<void> {
  const job = JSON.parse(process.argv.at(-1) ?? "") as ChildJob;
  await using store = await open();
  say("ready");
  switch (job.job) {
    case "write":
      return await write(store);
    case "count":
      await countUp(store, job.name, job.times);
      return say("done");
    case "answer":
      await answer(store);
      return say("done");
    case "rewrite":
      await store.rewrite({
        objects: [objectId("a")],
        change: withoutSecret,
        remove: [objectId("c")],
      });
      return say("done");
  }
}

/** In each commit, increments a counter that all processes share and adds a new object of this process. */
export async function countUp(store: ObjectStore, name: string, times: number): Promise<void> {
  const counter = objectId("counter");
  for (let time = 1; time <= times; time += 1) {
    for (;;) {
      const latest = await store.get(counter);
      const count = Number(latest?.body["count"] ?? 0) + 1;
      try {
        await store.commit([
          { object: sample("counter", { count }), expect: latest?.version ?? 0 },
          {
            object: sample(`${name}-${time}`, { content: `${name} ${time} ${"x".repeat(1500)}` }),
            expect: 0,
          },
        ]);
        break;
      } catch (error) {
        // The other process committed first, which is allowed. Read the counter again.
        if (!StoreError.is(error, "VERSION_CONFLICT")) throw error;
      }
    }
  }
}

/** Writes until the process is killed: a growing object, and two objects that must stay equal. */
async function write(store: ObjectStore): Promise<void> {
  const latest = await store.get(written.log);
  const turns = [...((latest?.body["turns"] ?? []) as readonly { readonly user: string }[])];
  for (let version = (latest?.version ?? 0) + 1; ; version += 1) {
    turns.push(Object.freeze({ user: `turn ${version} ${"word ".repeat(version % 500)}` }));
    const log = sample("log", { version, turns: [...turns] });
    const pair = { count: version, content: `pair ${version} ${"y".repeat(2000)}` };
    const writes = [
      { object: sample("left", pair), expect: version - 1 },
      { object: log, expect: version - 1 },
      { object: sample("right", pair), expect: version - 1 },
    ];
    // A commit with a deferred fsync must survive the process as well.
    await store.commit(writes, { isFollowed: version % 2 === 0 });
    const line: Acknowledgement = { version, object_hash: log.hashes.object_hash };
    say(JSON.stringify(line));
  }
}

/** Waits until another process has stored a question, and stores the answer. */
async function answer(store: ObjectStore): Promise<void> {
  for (;;) {
    const question = await store.get(objectId("question"));
    if (question !== undefined) {
      await store.commit([{ object: sample("answer", { content: question.body.content }) }]);
      return;
    }
    await delay(5);
  }
}

/** Prints a line. The write is synchronous, so that every written line arrives, whenever the process is killed. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}
