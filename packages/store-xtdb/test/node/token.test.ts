import { spawnSync } from "node:child_process";
import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";

import { failure } from "../failure.ts";
import {
  joinNode,
  nodeStatus,
  openLocalXtdbStore,
  openXtdbStore,
  startNode,
} from "../../src/index.ts";
import { dataFolderOf } from "../../src/node/data-folder.ts";
import { readToken, writeToken } from "../../src/node/token.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout, lacking } from "./tools-at-hand.ts";
import { wireNode } from "./wire-node.ts";

const quick = { quick: true, indexFolder: "memory" };
const chosen = "a-token-that-the-user-has-chosen.1";
const isRoot = process.getuid?.() === 0;
/** The id of a user who owns nothing; most systems call it nobody. */
const otherUser = 65_534;

describe("the token of a node", () => {
  test("is 32 random bytes in a file that only its user can read, whatever the file was before", async () => {
    await using folder = await temporaryFolder();
    const data = dataFolderOf(folder.path);
    await writeFile(data.token, "known");
    await chmod(data.token, 0o644);

    await writeToken(data, undefined);
    const first = await readToken(data);
    const { mode } = await stat(data.token);
    await writeToken(data, undefined);

    expect(Buffer.from(first, "base64url")).toHaveLength(32);
    expect(await readToken(data)).not.toBe(first);
    expect(mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
  });

  test("can be chosen, and the refusal of a weak one does not repeat it", async () => {
    await using folder = await temporaryFolder();
    const data = dataFolderOf(folder.path);
    await writeToken(data, chosen);

    for (const weak of ["secret", `secret ${chosen}`, `secret${chosen}\n`, ""]) {
      const error: unknown = await writeToken(data, weak).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "START_FAILED" });
      expect(String(error)).not.toContain("secret");
    }

    expect(await readToken(data)).toBe(chosen);
  });

  test.each(["", "secret word", "secret\nword", "sécret", "secret\u0000"])(
    "%j cannot be sent, and the error does not repeat it",
    async (token) => {
      const error = await failure(openXtdbStore({ url: "http://127.0.0.1:1", token }));

      expect(error.code).toBe("STORE_UNREADABLE");
      expect(error.message).toMatch(/correct SCM_XTDB_TOKEN or the option token$/u);
      expect(error.message).not.toMatch(/s[eé]cret/u);
    },
  );
});

test("the token is in no part of an error", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const { port } = silent.address() as AddressInfo;

  for (const url of [`http://127.0.0.1:${port}`, "http://127.0.0.1:1"]) {
    const error = await failure(openXtdbStore({ url, token: chosen, timeout: 100 }));

    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(chosen);
  }
  silent.closeAllConnections();
  silent.close();
});

describe.skipIf(lacking !== undefined)("a node without its token", () => {
  const on = wireNode();

  test.each([
    ["POST", "/_xtdb/submit-tx"],
    ["GET", "/_xtdb/tx-log"],
    ["GET", "/_xtdb/status"],
    ["GET", "/_xtdb/entity?eid=a"],
    ["POST", "/_xtdb/query"],
    ["GET", "/_scm/node"],
    ["GET", "/none"],
    ["PUT", "/_xtdb/status"],
  ])("refuses %s %s", async (method, path) => {
    const tokens = ["", "Bearer ", "Bearer wrong", `Basic ${chosen}`, chosen];

    const answers = await Promise.all(
      tokens.map((authorization) => on.send({ method, path, headers: { authorization } })),
    );

    for (const { status, type, text } of answers) {
      expect({ status, type }).toEqual({ status: 401, type: "text/plain;charset=utf-8" });
      expect(text).toMatch(/^The token is missing or wrong\. Send the header Authorization/u);
    }
  });

  test("is reported with the setting to correct", async () => {
    for (const token of [undefined, chosen]) {
      const error = await failure(openXtdbStore({ url: on.url, ...(token ? { token } : {}) }));

      expect(error.code).toBe("STORE_UNREADABLE");
      expect(error.message).toContain("the token is missing or wrong; set SCM_XTDB_TOKEN");
      expect(error.message).not.toContain(chosen);
    }
  });
});

describe.skipIf(lacking !== undefined)(
  "the token of a real node",
  { timeout: buildTimeout },
  () => {
    test("is in no other file of the data folder, and joined processes use it", async () => {
      await using folder = await temporaryFolder();
      await using node = await startNode({ ...quick, dataFolder: folder.path });
      await using joined = await joinNode({ ...quick, dataFolder: folder.path });
      await using store = await openLocalXtdbStore({ ...quick, dataFolder: folder.path });

      expect(joined.token).toBe(node.token);
      expect((await store.find({})).items).toEqual([]);
      expect((await nodeStatus(folder.path)).state).toBe("running");
      for (const name of ["node.json", "xtdb.edn", "node.log", "engine.json"]) {
        expect(await readFile(join(folder.path, name), "utf8")).not.toContain(node.token);
      }
    });

    test("is a new one after a restart, and an open store of the data folder finds it", async () => {
      await using folder = await temporaryFolder();
      const first = await startNode({ ...quick, dataFolder: folder.path });
      const port = Number(new URL(first.url).port);
      await using store = await openLocalXtdbStore({ ...quick, dataFolder: folder.path });
      await first.stop();

      await using second = await startNode({ ...quick, dataFolder: folder.path, port });
      const error = await failure(openXtdbStore({ url: second.url, token: first.token }));

      expect([second.url, second.token === first.token]).toEqual([first.url, false]);
      expect(error.code).toBe("STORE_UNREADABLE");
      expect((await store.find({})).items).toEqual([]);
    });

    test("that is lost is reported with the process to end", async () => {
      await using folder = await temporaryFolder();
      await using node = await startNode({ ...quick, dataFolder: folder.path });
      await rm(join(folder.path, "token"));

      const error: unknown = await joinNode({ ...quick, dataFolder: folder.path }).catch(
        (reason: unknown) => reason,
      );
      await writeFile(join(folder.path, "token"), node.token, { mode: 0o600 });

      expect(error).toMatchObject({
        code: "NODE_UNAVAILABLE",
        message: expect.stringMatching(`process ${node.pid} .* end that process`),
      });
    });

    test.runIf(isRoot)(
      "cannot be read by another user, who gets nothing from the node",
      async () => {
        await using folder = await temporaryFolder();
        // The folder is open to all, so that only the mode of the files protects them.
        await chmod(folder.path, 0o755);
        await using node = await startNode({ ...quick, dataFolder: folder.path });
        const script = `
      const { readFileSync } = require("node:fs");
      const read = (name) => {
        try { return readFileSync(name, "utf8"); } catch ({ code }) { return code; }
      };
      const ask = async (path, method) => (await fetch(process.argv[1] + path, { method })).status;
      (async () => console.log(JSON.stringify({
        user: process.getuid(),
        files: ["token", "xtdb.edn", "golden.db"].map(read),
        answers: [await ask("/_xtdb/tx-log"), await ask("/_xtdb/status"), await ask("/_xtdb/submit-tx", "POST")],
      })))();`;

        const other = spawnSync(process.execPath, ["-e", script, node.url], {
          cwd: folder.path,
          uid: otherUser,
          gid: otherUser,
          env: {},
          encoding: "utf8",
        });

        expect(JSON.parse(other.stdout)).toEqual({
          user: otherUser,
          files: ["EACCES", "EACCES", "EACCES"],
          answers: [401, 401, 401],
        });
      },
    );
  },
);
