import { openStore, systemClock } from "@self-context-manager/compose";
import { objectId, sealObject } from "@self-context-manager/objects";

/** Commits two objects together until it is killed, and prints the number of each commit. */
await using store = await openStore({
  store: "sqlite",
  at: process.argv[2] ?? "",
  clock: systemClock,
});
for (let version = 0; ; version += 1) {
  const writes = ["left", "right"].map((name) => ({
    object: sealObject({
      id: objectId(name),
      type: "note",
      content: `${version} ${"x".repeat(2_000)}`,
      locked: false,
      provenance: { origin: "busy writer", generator: "human" },
    }),
    expect: version,
  }));
  await store.commit(writes);
  process.stdout.write(`${version + 1}\n`);
}
