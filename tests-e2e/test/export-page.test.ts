// Without Python, the test is skipped with a message.
/* oxlint-disable vitest/no-conditional-tests, vitest/no-disabled-tests */
import { exportObjects, objectId, sealObject } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

if (spawnSync("python3", ["--version"]).status !== 0) {
  it.skip("the reader on the page of the export format: python3 is not installed", () => undefined);
} else {
  it("the reader on the page of the export format gives every version as a whole", async () => {
    const page = new URL("../../docs/architecture/export-format.md", import.meta.url);
    const [, reader = ""] = /```python\n(.*?)```/su.exec(await readFile(page, "utf8")) ?? [];
    const folder = await mkdtemp(join(tmpdir(), "scm-export-"));
    await using store = memoryStore();
    for (let round = 1; round <= 30; round += 1) await store.commit([{ object: chat(round) }]);
    let text = "";
    for await (const line of exportObjects(store)) text += line;
    await writeFile(join(folder, "all.jsonl"), text);
    await writeFile(join(folder, "reader.py"), reader);

    const printed = execFileSync(
      "python3",
      [join(folder, "reader.py"), join(folder, "all.jsonl")],
      { encoding: "utf8", env: { ...process.env, PYTHONIOENCODING: "utf-8" } },
    );
    await rm(folder, { recursive: true });

    const lines = printed.trimEnd().split("\n");
    expect(lines).toHaveLength(30);
    expect(text.match(/"change":/gu)?.length).toBeGreaterThan(30);
    for (const [index, line] of lines.entries()) {
      const { object } = JSON.parse(line) as { readonly object: object };
      const stored = await store.get(objectId("chat"), { version: index + 1 });
      expect(object).toEqual({ ...stored?.body, ...stored?.hashes });
      expect(JSON.stringify(Reflect.get(object, "args"))).toBe(
        JSON.stringify(stored?.body["args"]),
      );
    }
  });
}

/** Returns a version whose text grows and has an emoji, whose lists move on, and whose fields come and go. */
function chat(round: number): ReturnType<typeof sealObject> {
  const numbers = Array.from({ length: 12 }, (_, index) => `item ${index + round}`);
  const long = "a text that stays as it is ".repeat(20);
  return sealObject({
    id: objectId("chat"),
    type: "toolcall",
    content: `${"\u{1f600} said ".repeat(round)}${round % 2 === 0 ? "\u{1f601}" : "\u{1f600}"} end`,
    locked: false,
    provenance: { origin: "a test", generator: "tool" },
    recent: numbers,
    turns: numbers.map((item, index) => ({ item, steps: [long, index === 5 ? round : 0] })),
    args: round % 3 === 0 ? { z: long, a: 1 } : { a: round, z: long },
    ...(round % 4 === 0 ? { summary: "now and then" } : {}),
  });
}
