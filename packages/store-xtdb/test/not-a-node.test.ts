import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";

import { openXtdbStore } from "../src/index.ts";
import { failure } from "./failure.ts";

const transit = "application/transit+json";

it("reports an address without a server and advises to start the node or correct the URL", async () => {
  const url = await withServer("text/plain", "", async (address) => address);

  const error = await failure(openXtdbStore({ url, timeout: 100 }));

  expect(error.code).toBe("STORE_UNAVAILABLE");
  expect(error.message).toContain(url);
  expect(error.message).toMatch(/ECONNREFUSED.*start it, or correct the URL/u);
});

it.each([
  ["a web page", "text/html", "<html>hello</html>"],
  ["JSON of another program", "application/json", '{"ok":true}'],
])("reports %s as not being XTDB", async (_, type, body) => {
  const error = await withServer(type, body, (url) => failure(openXtdbStore({ url })));

  expect(error.code).toBe("STORE_FOREIGN");
  expect(error.message).toMatch(/is not XTDB with its HTTP API \(status 200/u);
});

it.each([
  ["2.1.0", "it is XTDB 2.1.0; the store needs XTDB 1.24"],
  ["1.19.0", "it is XTDB 1.19.0"],
])("refuses XTDB %s", async (version, words) => {
  const status = `["^ ","~:xtdb.version/version","${version}"]`;

  const error = await withServer(transit, status, (url) => failure(openXtdbStore({ url })));

  expect(error.code).toBe("STORE_FOREIGN");
  expect(error.message).toContain(words);
});

it("rejects a truncated answer after the timeout", async () => {
  const error = await withServer(transit, '["^ ","~:x', (url) =>
    failure(openXtdbStore({ url, timeout: 150 })),
  );

  expect(error.code).toBe("STORE_UNAVAILABLE");
  expect(error.message).toContain("cut off");
});

it("rejects after the timeout if the node never answers", async () => {
  const error = await withServer(undefined, "", (url) =>
    failure(openXtdbStore({ url, timeout: 150 })),
  );

  expect(error.code).toBe("STORE_UNAVAILABLE");
  expect(error.message).toContain("did not answer");
});

it.each(["node", "ftp://host", ""])("refuses %j as the URL of a node", async (url) => {
  await expect(openXtdbStore({ url })).rejects.toThrow(RangeError);
});

it.each(["Scm", "a/b", "xt", "xtdb", "crux-2", ""])(
  "refuses %j as the name of a store",
  async (space) => {
    await expect(openXtdbStore({ url: "http://127.0.0.1:1", space })).rejects.toThrow(RangeError);
  },
);

async function withServer<Result>(
  type: string | undefined,
  body: string,
  run: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer((_, answer) => {
    if (type !== undefined) answer.writeHead(200, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
