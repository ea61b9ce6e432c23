import { type ObjectStore, sealObject } from "@self-context-manager/objects";
import { once } from "node:events";
import { createConnection } from "node:net";
import { request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import type { ObjectAnswer, SessionsAnswer, VersionAnswer } from "../../src/answers.ts";
import { type Inspector, openInspector } from "../../src/server/open-inspector.ts";
import { inspected, quietStore, recordedSession } from "../recorded-session.ts";
import { type Answer, partsOf, send, type Sent } from "./client.ts";

const files = { script: "/* the script */", style: "/* the style */" };

/** An inspector with a way to ask it: with the right token, unless other headers are given. */
async function running(store = quietStore()): Promise<{
  readonly inspector: Inspector;
  readonly port: number;
  readonly token: string;
  readonly ask: (path: string, sent?: Partial<Sent>) => Promise<Answer>;
}> {
  const inspector = await openInspector({ ...inspected(store), files });
  const { port, token } = partsOf(inspector.url);
  return {
    inspector,
    port,
    token,
    ask: async (path, { headers, ...sent } = {}) =>
      await send({ port, path, headers: { "x-scm-token": token, ...headers }, ...sent }),
  };
}

describe("the page", () => {
  it("is served without a token, because its address is only known with one", async () => {
    const { inspector, port } = await running();
    await using _ = inspector;

    const page = await send({ port, path: "/" });
    const script = await send({ port, path: "/page.js" });
    const style = await send({ port, path: "/page.css" });

    expect(page).toMatchObject({ status: 200 });
    expect(page.text).toContain('<div id="page"></div>');
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(script).toMatchObject({ status: 200, text: files.script });
    expect(style).toMatchObject({ status: 200, text: files.style });
  });

  it("has an address with a new secret of at least 128 bits behind the #", async () => {
    const one = await running();
    const other = await running();
    await using _ = one.inspector;
    await using __ = other.inspector;

    expect(one.inspector.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{22,}$/u);
    expect(one.token).not.toBe(other.token);
    expect(one.inspector.urlAt("sessions/x")).toBe(`${one.inspector.url}&at=sessions/x`);
  });
});

describe("an inspector that is opened at a session", () => {
  it("reads it before the page asks, and is closed only after that", async () => {
    const { store, id } = await recordedSession([{ user: "begin" }]);
    let isRead = false;
    const watched: ObjectStore = {
      ...store,
      async *versions(id, range) {
        yield* store.versions(id, range);
        isRead = true;
      },
    };

    const at = `sessions/${id}`;
    const inspector = await openInspector({ ...inspected(watched), files, at });
    await inspector[Symbol.asyncDispose]();

    expect(inspector.url).toContain(`&at=${at}`);
    expect(isRead).toBe(true);
  });

  it("is opened also at a session that is not there", async () => {
    const at = "sessions/019cadc6-9a80-7000-8000-000000000001";
    await using inspector = await openInspector({ ...inspected(quietStore()), files, at });
    const { port, token } = partsOf(inspector.url);

    const answer = await send({ port, path: `/api/${at}`, headers: { "x-scm-token": token } });

    expect(answer.status).toBe(404);
  });
});

describe("a request is refused", () => {
  it.each([
    ["without a token", {}],
    ["with an empty token", { "x-scm-token": "" }],
    ["with another token", { "x-scm-token": "a".repeat(32) }],
    ["with a token in a cookie", { cookie: "x-scm-token=TOKEN" }],
    ["with a token as authorization", { authorization: "Bearer TOKEN" }],
  ])("%s", async (_, given) => {
    const { inspector, port, token } = await running();
    await using __ = inspector;
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace("TOKEN", token)]),
    );

    for (const path of ["/api/store", "/api/sessions", "/api/changes", "/api/nothing"])
      expect(await send({ port, path, headers })).toMatchObject({ status: 401 });
  });

  it("with the token in its address", async () => {
    const { inspector, port, token } = await running();
    await using _ = inspector;

    const answer = await send({ port, path: `/api/store?x-scm-token=${token}&token=${token}` });

    expect(answer.status).toBe(401);
  });

  it.each([
    "evil.example",
    "evil.example:PORT",
    "127.0.0.1",
    "127.0.0.1.evil.example:PORT",
    "localhost.evil.example:PORT",
    "127.0.0.1:1",
    "127.1:PORT",
    "[::1]:PORT",
    "",
  ])("if its name was bound to this address: Host %j", async (host) => {
    const { inspector, ask, port } = await running();
    await using _ = inspector;
    const headers = { host: host.replace("PORT", String(port)) };

    for (const path of ["/", "/page.js", "/api/store"])
      expect((await ask(path, { headers })).status).toBeGreaterThanOrEqual(400);
  });

  it.each([
    { origin: "http://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:1" },
    { origin: "https://127.0.0.1:PORT" },
    { origin: "http://127.0.0.1:PORT.evil.example" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ])("if it comes from a page of another origin: %j", async (given) => {
    const { inspector, ask, port } = await running();
    await using _ = inspector;
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace("PORT", String(port))]),
    );

    for (const path of ["/", "/page.js", "/api/store", "/api/changes"])
      expect(await ask(path, { headers })).toMatchObject({ status: 403 });
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])(
    "if its method is %s",
    async (method) => {
      const { inspector, ask } = await running();
      await using _ = inspector;

      for (const path of ["/", "/api/store"])
        expect(await ask(path, { method })).toMatchObject({ status: 405 });
    },
  );

  it.each([
    "/../package.json",
    "/%2e%2e/package.json",
    "/..%2fpackage.json",
    "/page.js/../../package.json",
    "/page.js%00",
    "/page.js%2f",
    "//page.js",
    "/./page.js",
    "\\page.js",
    "/dist/index.js",
    "/page.css/x",
    "/%",
    "/%c0%ae%c0%ae/package.json",
    "/api",
    "/api/",
    "/api/../page.js",
    "/api/objects/%00",
    "/api/objects/../../package.json",
    "/api/objects/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/api/objects/..%2f..%2fetc%2fpasswd/versions/1",
    "/api/sessions/x/calls/1/../../..",
    "/api/sessions/x/calls/1e3",
    `/api/objects/${"a".repeat(600)}`,
    `/${"a".repeat(8_000)}`,
    "http://127.0.0.1/page.js",
    "*",
  ])("if its path is none of the page: %s", async (path) => {
    const { store } = await recordedSession([{ user: "go" }]);
    const { inspector, ask } = await running(store);
    await using _ = inspector;

    const { status, text } = await ask(path);

    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
  });
});

describe("every response", () => {
  it.each([
    ["the page", "/", {}],
    ["the script", "/page.js", {}],
    ["the style", "/page.css", {}],
    ["an answer", "/api/store", {}],
    ["a path that is not there", "/nothing", {}],
    ["a question that is not there", "/api/nothing", {}],
    ["a wrong token", "/api/store", { "x-scm-token": "x" }],
    ["a wrong host", "/", { host: "evil.example" }],
    ["another origin", "/api/store", { origin: "http://evil.example" }],
    ["a request that is no HTTP", "\\", {}],
  ])("has the headers that protect the page: %s", async (_, path, headers) => {
    const { inspector, ask } = await running();
    await using __ = inspector;

    const answer = await ask(path, { headers });

    const policy = String(answer.headers["content-security-policy"]);
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      expect(policy.split("; ")).toContain(rule);
    expect(policy).not.toContain("unsafe");
    expect(answer.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    });
    const names = Object.keys(answer.headers);
    expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
    expect(names).not.toContain("set-cookie");
    expect(JSON.stringify(answer.headers)).not.toContain(partsOf(inspector.url).token);
  });

  it("to HEAD has the headers and no content", async () => {
    const { inspector, ask } = await running();
    await using _ = inspector;

    const [page, store] = [
      await ask("/", { method: "HEAD" }),
      await ask("/api/store", { method: "HEAD" }),
    ];

    expect(page).toMatchObject({ status: 200, text: "" });
    expect(store).toMatchObject({ status: 200, text: "" });
    expect(Number(store.headers["content-length"])).toBeGreaterThan(10);
  });
});

const hostile = [
  "</script><script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<!-- --><![CDATA[",
  "javascript:alert(1)",
  "\u202Egnp.exe\u2066\u2069\u200F",
  "\u2028\u2029\u0000\u001B[31m",
  "{{constructor}} ${alert(1)}",
];

describe("hostile contents", () => {
  it.each(hostile)("arrive as JSON, unchanged: %j", async (text) => {
    const name = `${text.replaceAll(/[/\0]/gu, "_")}.ts`;
    const { store } = await recordedSession([{ user: text }, { read: name, text }]);
    const { inspector, ask } = await running(store);
    await using _ = inspector;
    const [file] = (await store.find({ where: { type: "file" } })).items;
    const id = encodeURIComponent(String(file?.body.id));

    const object = await ask(`/api/objects/${id}`);
    const version = await ask(`/api/objects/${id}/versions/1`);

    expect(object.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect((JSON.parse(version.text) as VersionAnswer).content).toBe(text);
    const { metadata } = JSON.parse(object.text) as ObjectAnswer;
    expect(metadata).toContainEqual(["path", `/work/${name}`]);
  });

  it("arrive also with a line of 5 MB", async () => {
    const store = quietStore();
    const { id } = await recordedSession([{ read: "a.ts", text: "x\n" }], { store });
    const [file] = (await store.find({ where: { type: "file" } })).items;
    const [head] = await store.getMany(file === undefined ? [id] : [file.body.id]);
    if (head === undefined) throw new TypeError("the session has no file");
    const content = "y".repeat(5_000_000);
    await store.commit([{ object: sealObject({ ...head.body, content, char_count: 5_000_000 }) }]);
    const { inspector, ask } = await running(store);
    await using _ = inspector;

    const version = await ask(`/api/objects/${head.body.id}/versions/2`);

    expect((JSON.parse(version.text) as VersionAnswer).content).toHaveLength(5_000_000);
  });
});

/** Reads the lines of an open response. */
async function* linesOf(port: number, token: string, path: string): AsyncGenerator<string> {
  const response = await new Promise<AsyncIterable<Buffer>>((done, fail) => {
    const asked = request(
      { host: "127.0.0.1", port, path, agent: false, headers: { "x-scm-token": token } },
      done,
    );
    asked.on("error", fail);
    asked.end();
  });
  let rest = "";
  for await (const chunk of response) {
    const lines = `${rest}${chunk.toString("utf8")}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

describe("changes", () => {
  it("arrive while the session continues, each with its position", async () => {
    const { store } = await recordedSession([{ user: "go" }]);
    const { inspector, port, token, ask } = await running(store);
    await using _ = inspector;
    const { position } = JSON.parse((await ask("/api/store")).text) as { position: string };
    const lines = linesOf(port, token, `/api/changes?after=${position}`);
    const first = await lines.next();

    const second = await recordedSession([{ user: "other" }], {
      store,
      host: { harness: "test", sessionId: "two" },
    });
    const notice = JSON.parse(String((await lines.next()).value));
    await lines.return(undefined);

    expect(first.value).toBe("");
    expect(notice.changed).toContainEqual({ id: second.id, type: "session" });
    expect(notice.position).not.toBe(position);
    const { sessions } = JSON.parse((await ask("/api/sessions")).text) as SessionsAnswer;
    expect(sessions).toHaveLength(2);
  });

  it("of a position that the store does not know are refused", async () => {
    const { inspector, ask } = await running();
    await using _ = inspector;

    expect(await ask("/api/changes?after=nonsense")).toMatchObject({ status: 400 });
  });

  it("are followed by a limited number of pages, and a page that goes makes room", async () => {
    const { inspector, port, token, ask } = await running();
    await using _ = inspector;
    const followers = Array.from({ length: 4 }, () => linesOf(port, token, "/api/changes"));
    for (const one of followers) await one.next();

    const refused = await ask("/api/changes");
    for (const one of followers) await one.return(undefined);
    const again = linesOf(port, token, "/api/changes");

    expect(refused.status).toBe(503);
    await expect.poll(async () => (await ask("/api/changes", { method: "HEAD" })).status).toBe(200);
    expect((await again.next()).value).toBe("");
    await again.return(undefined);
  });
});

describe("a client that goes", () => {
  it("ends the verification of a session", async () => {
    const calls = 60;
    const { store, id } = await recordedSession(
      Array.from({ length: calls }, (_, index) => ({ user: `go on ${index}` })),
    );
    const [view] = (await store.find({ where: { type: "view" } })).items;
    const began = Promise.withResolvers<void>();
    let read = 0;
    const watched: ObjectStore = {
      ...store,
      async *versions(one, range) {
        for await (const version of store.versions(one, range)) {
          if (one === view?.body.id) {
            read += 1;
            began.resolve();
            await setTimeout(5);
          }
          yield version;
        }
      },
    };
    const { inspector, port, token } = await running(watched);
    await using _ = inspector;
    const asked = request({
      host: "127.0.0.1",
      port,
      path: `/api/sessions/${id}/damage`,
      headers: { "x-scm-token": token },
    });
    asked.on("error", () => undefined);
    asked.end();

    await began.promise;
    asked.destroy();
    // Longer than the reading of all calls takes.
    await setTimeout(calls * 5 + 400);

    expect(read).toBeLessThan(calls / 2);
  });
});

describe("the end", () => {
  it("closes open streams and connections, and happens once", async () => {
    const { inspector, port, token } = await running();
    const lines = linesOf(port, token, "/api/changes");
    await lines.next();
    const idle = createConnection({ host: "127.0.0.1", port });
    await once(idle, "connect");
    const closed = once(idle, "close");

    await Promise.all([inspector[Symbol.asyncDispose](), inspector[Symbol.asyncDispose]()]);

    expect((await lines.next()).done).toBe(true);
    await closed;
    await expect(send({ port, path: "/" })).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("does not wait for a store that does not answer", async () => {
    const store = quietStore();
    const asked = Promise.withResolvers<undefined>();
    const { inspector, port, token } = await running({
      ...store,
      find: async () => {
        asked.resolve(undefined);
        return await new Promise(() => {});
      },
    });
    const answer = send({ port, path: "/api/sessions", headers: { "x-scm-token": token } });
    answer.catch(() => undefined);
    await asked.promise;

    await inspector[Symbol.asyncDispose]();

    await expect(answer).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("of the store is reported in the answers", async () => {
    const store = quietStore();
    const { inspector, ask } = await running(store);
    await using _ = inspector;
    await store[Symbol.asyncDispose]();

    const answer = await ask("/api/sessions");

    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: "STORE_CLOSED", message: expect.stringMatching(/^The store was closed\./u) },
    });
  });
});
