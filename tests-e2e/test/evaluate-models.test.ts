import { type Arm, findArms, openPiHost, type Task } from "@self-context-manager/evaluate";
import {
  openTestModel,
  type SeenChange,
  type TestModelApi,
  withoutHandles,
} from "@self-context-manager/evaluate/loopback";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";

import { piInstallation, piVersions } from "../src/pi-versions.ts";

/** So many lines that a view has a reason to leave them out. */
const lines = (word: string): string =>
  Array.from({ length: 300 }, (_, index) => `${word} ${String(index)} is as expected\n`).join("");

/** A value that a command shows once, one that a file has, and texts between them and the questions. */
const task: Task = {
  name: "long-episode/two-values",
  family: "long-episode",
  version: 1,
  seed: 0,
  title: "Two values that are needed after other work.",
  workspace: {
    files: {
      "log.txt": `${lines("sensor")}the code is 9315\n${lines("valve")}`,
      "limits.txt": `${lines("limit")}rate = 41\n${lines("more")}`,
      ...Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`${name}.txt`, lines(name)])),
    },
  },
  steps: [
    {
      type: "prompt",
      text: "Look at the log, once.",
      moves: [
        { type: "run", command: "cat log.txt; rm log.txt" },
        { type: "read", path: "limits.txt" },
        { type: "answer", text: "I have seen it." },
      ],
    },
    ...["a", "b", "c", "d", "e"].map((name) => ({
      type: "prompt" as const,
      text: `Read ${name}.txt.`,
      moves: [
        { type: "read" as const, path: `${name}.txt` },
        { type: "run" as const, command: `wc -l ${name}.txt` },
        { type: "answer" as const, text: "I have read it." },
      ],
    })),
    {
      type: "prompt",
      text: "Write both values.",
      moves: [
        { type: "write", path: "out.txt", content: "{{code}} {{rate}}\n" },
        { type: "answer", text: "It is written." },
      ],
    },
  ],
  facts: [
    {
      id: "code",
      pattern: "^the code is (\\d+)$",
      value: "9315",
      neededAt: [6],
      source: "cat log.txt; rm log.txt",
    },
    {
      id: "rate",
      pattern: "^rate = (\\d+)$",
      value: "41",
      neededAt: [6],
      source: "limits.txt",
    },
  ],
  checks: [],
  hidden: {},
  limits: { calls: 60, minutes: 2 },
};

/** Managed context that keeps as little as it can in view. */
const [small] = findArms(['setting:SCM_ALIVE=1,SCM_KEPT=1,SCM_EPOCHS={"share":0.01}']);

interface Run {
  readonly written: string | undefined;
  /** What the model did beside the moves and the answers. */
  readonly detours: readonly string[];
  readonly failures: readonly string[];
}

describe.each(piVersions)("models for tests on Pi $version", (pi) => {
  const host = openPiHost({ cli: piInstallation(pi).packageFolder });

  async function run(
    arm: Arm | undefined,
    options: {
      readonly api?: TestModelApi;
      readonly sees?: SeenChange;
    } = {},
  ): Promise<Run> {
    if (arm === undefined) throw new TypeError("the arm is not there");
    const root = await realpath(await mkdtemp(join(tmpdir(), "scm-models-")));
    const workspace = join(root, "work");
    try {
      await mkdir(workspace);
      for (const [path, text] of Object.entries(task.workspace.files))
        await writeFile(join(workspace, path), text);
      await using model = await openTestModel({
        kind: "forgetful",
        task,
        seed: 1,
        ...options,
      });
      const place = { workspace, home: join(root, "home"), store: join(root, "store.sqlite") };
      await using session = await host.open({ arm, access: model.access, ...place });
      for (const step of task.steps)
        if (step.type === "prompt")
          await session.prompt(step.text, { signal: new AbortController().signal });
      return {
        written: await readFile(join(workspace, "out.txt"), "utf8").catch(() => undefined),
        detours: model.log.map(({ deed }) => deed).filter((deed) => !/move|answer/u.test(deed)),
        failures: [...model.failures],
      };
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }

  test.each(["anthropic-messages", "openai-completions"] as const)(
    "a forgetful model over %s opens what a view names",
    async (api) => {
      expect(await run(small, { api })).toEqual({
        written: "9315 41\n",
        detours: ["look-up", "look-up"],
        failures: [],
      });
    },
  );

  it("a forgetful model opens nothing in plain Pi, which shows everything", async () => {
    const [plain] = findArms(["plain"]);

    expect(await run(plain)).toEqual({ written: "9315 41\n", detours: [], failures: [] });
  });

  it("a forgetful model fails where lines have no handle and nothing can be searched", async () => {
    const arm = small && { ...small, name: "mute", withoutTools: ["find_objects"] };

    const { written, detours } = await run(arm, { sees: withoutHandles });

    expect(written).toBeUndefined();
    expect(detours).toEqual(["gave-up"]);
  });
});
