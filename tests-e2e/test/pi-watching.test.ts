import type { ObjectStore } from "@self-context-manager/core";
import {
  openLoopbackModel,
  type Reply,
  toolCalls,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { adapterFolder, pooled } from "../src/managed-run.ts";
import { openPiRpc } from "../src/pi-rpc.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";
import { illegalities } from "../src/wire-rules.ts";

const lines = Array.from({ length: 40 }, (_, line) => `line ${line + 1}`);
const content = `${lines.join("\n")}\n`;
const edited = content.replace("line 20\n", "edited from outside\n");
const editedAgain = edited.replace("line 30\n", "edited while Pi was dead\n");

const script: readonly Reply[] = [
  toolCalls(["call_1", "read", { path: "a.txt" }]),
  ...Array.from({ length: 6 }, (_, index): Reply => ({ type: "text", text: `answer ${index}` })),
];

/** Returns the texts of the messages that a request has and the previous request does not have. */
const added = (requests: readonly WireRequest[], index: number): string => {
  const before = requests[index - 1]?.messages.length ?? 0;
  const messages = requests[index]?.messages ?? [];
  return messages
    .slice(before)
    .map(({ text }) => text)
    .join("\n");
};

/** Returns the index of the first message that differs from the previous request. Returns -1 if there is none. */
const kept = (requests: readonly WireRequest[], index: number): number => {
  const [before = [], after = []] = [requests[index - 1]?.messages, requests[index]?.messages];
  return before.findIndex((message, at) => message.text !== after[at]?.text);
};

describe.each(piVersions)("Pi $version", (pi) => {
  test.each([
    [
      "ask",
      [
        /^\[f1 a\.txt changed, v1 .* -> v2 .*; read it to see v2\]$/mu,
        /^\[f1 moved\.txt changed, v1 .* -> v3 /mu,
        /^\[f1 moved\.txt changed, v1 .* -> v4 /mu,
      ],
    ],
    [
      "read",
      [
        /^f1 a\.txt v2 replaces v1 above, \+1 -1$/mu,
        /^\[f1 moved\.txt /mu,
        /\+edited while Pi was dead/u,
      ],
    ],
  ] as const)(
    "reports external changes of a file with the next call (%s)",
    async (unread, reports) => {
      await using model = await openLoopbackModel({ script });
      await using workspace = await openPiWorkspace({ model, files: { "a.txt": content } });
      const path = join(workspace.agentFolder, "store.sqlite");
      const common = {
        pi,
        workspace,
        extensions: [adapterFolder],
        environment: { SCM_STORE: path, SCM_ACTIVATE_UNREAD: unread },
      };
      const [first, moved] = ["a.txt", "moved.txt"].map((name) => join(workspace.workFolder, name));
      if (first === undefined || moved === undefined) throw new Error("there are two paths");
      {
        await using rpc = await openPiRpc(common);
        await rpc.prompt("look");
        await using store = await openSqliteStore({ path });

        await writeFile(first, edited);
        await stored(store, 2);
        await rpc.prompt("after the edit");
        await rename(first, moved);
        await stored(store, 3);
        await rpc.prompt("after the move");
        await rpc.kill();
      }
      await writeFile(moved, editedAgain);
      {
        await using rpc = await openPiRpc({ ...common, arguments: ["-c"] });
        await rpc.prompt("after the death");
        await using store = await openSqliteStore({ path });
        await rm(moved);
        await stored(store, 5);
        await rpc.prompt("after the end");
      }

      const { requests, failures } = model;
      expect(failures).toEqual([]);
      expect(requests.flatMap(illegalities)).toEqual([]);
      expect(requests).toHaveLength(6);
      expect(requests[1]?.messages.at(-1)?.text).toContain("line 20\n");
      for (const [index, report] of reports.entries())
        expect(added(requests, index + 2)).toMatch(report);
      const isShown = JSON.stringify(requests).includes("edited from outside");
      expect(isShown).toBe(unread === "read");
      expect(added(requests, 5)).toContain("[f1 moved.txt deleted]");
      // Sent messages do not change: each request begins with the whole previous request.
      expect([2, 3, 4, 5].map((index) => kept(requests, index))).toEqual([-1, -1, -1, -1]);
    },
  );
});

test.each(
  piVersions.flatMap((pi) =>
    (runsEveryForm("adapter-pi") ? (["ask", "read"] as const) : (["ask"] as const)).map((way) => ({
      pi,
      way,
      of: pi.version,
    })),
  ),
)(
  "Pi $of shows no former text in the pooled layout after a change by a person ($way)",
  async ({ pi, way }) => {
    await using model = await openLoopbackModel({ script });
    await using workspace = await openPiWorkspace({ model, files: { "a.txt": content } });
    const path = join(workspace.agentFolder, "store.sqlite");
    const asked = way === "ask" ? {} : { SCM_ACTIVATE_UNREAD: way };
    const environment = { ...pooled, ...asked, SCM_STORE: path };
    await using rpc = await openPiRpc({ pi, workspace, extensions: [adapterFolder], environment });
    await rpc.prompt("look");
    await using store = await openSqliteStore({ path });
    await writeFile(join(workspace.workFolder, "a.txt"), edited);
    await stored(store, 2);
    await rpc.prompt("after the edit");

    const { requests, failures } = model;
    expect(failures).toEqual([]);
    expect(requests[1]?.messages.at(-1)?.text).toContain("\nline 20\n");
    const last =
      requests
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join("\n") ?? "";
    expect(last).toContain(way === "ask" ? "read it to see v2" : "\nedited from outside\n");
    expect(last).not.toContain("\nline 20\n");
  },
);

/** Waits until the only file object in the store has reached a version. */
const stored = async (store: ObjectStore, version: number): Promise<void> => {
  await expect
    .poll(async () => (await store.find({ where: { type: "file" } })).items[0]?.version, {
      timeout: 60_000,
    })
    .toBe(version);
};
