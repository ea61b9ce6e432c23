import * as fc from "fast-check";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test, vi } from "vitest";
import type { ObjectId } from "@self-context-manager/core";
import type {
  CallAnswer,
  DamageAnswer,
  ObjectAnswer,
  SearchAnswer,
  SessionAnswer,
  SessionsAnswer,
  SnapshotData,
} from "../../src/answers.ts";
import { appendCalls, lastSettled } from "../../page/data/append-calls.ts";
import { jsonLines } from "../../page/data/json-lines.ts";
import { serverSource } from "../../page/data/server.ts";
import { snapshotSource } from "../../page/data/snapshot.ts";
import { paths } from "../../page/data/source.ts";
import { graphPlaces } from "../../page/pictures/graph-layout.ts";
import { linkTo, readFragment, type Route } from "../../page/route.ts";
import { sampleAnswers, sampleSession } from "../sample-answers.ts";

describe("the fragment of the address", () => {
  test("names the token and the page", () => {
    expect(readFragment("#token=abc&at=sessions/s1")).toEqual({
      token: "abc",
      route: { view: "session", session: "s1" },
    });
    expect(readFragment("#token=abc")).toEqual({ token: "abc" });
    expect(readFragment("")).toEqual({});
  });

  test("of a link leads to the page of the link, whatever is in its names", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    const number = fc.nat(99_999);
    const routes: fc.Arbitrary<Route> = fc.oneof(
      fc.constant<Route>({ view: "sessions" }),
      fc.record({ view: fc.constant("session" as const), session: text }),
      fc.record({ view: fc.constant("session" as const), session: text, call: number }),
      fc.record({ view: fc.constant("call" as const), session: text, call: number }),
      fc.record({ view: fc.constant("call" as const), session: text, call: number, part: text }),
      fc.record({
        view: fc.constant("object" as const),
        id: text,
        version: number,
        against: number,
      }),
      fc.record({ view: fc.constant("search" as const), words: text }),
    );
    fc.assert(
      fc.property(routes, (route) => {
        expect(readFragment(linkTo(route)).route).toEqual(route);
      }),
    );
  });

  test("that leads nowhere is a page that says so", () => {
    expect(readFragment("#at=sessions/a/calls/x").route?.view).toBe("unknown");
    expect(readFragment("#at=objects").route?.view).toBe("unknown");
    expect(readFragment("#at=%E0%A4%A").route?.view).toBe("unknown");
  });
});

describe("new calls of a session", () => {
  test("replace the last one, whose usage has come, and follow the others", () => {
    const all = sampleSession({ calls: 30, objects: 8 });
    const until = (count: number): typeof all => ({
      ...all,
      timeline: { ...all.timeline, calls: all.timeline.calls.slice(0, count) },
    });
    const earlier = until(20);
    const after = lastSettled(earlier);
    const later = { ...all, timeline: { ...all.timeline, calls: all.timeline.calls.slice(after) } };

    expect(after).toBe(19);
    expect(appendCalls(earlier, later)).toEqual(all);
    expect(appendCalls(earlier, { ...all, timeline: { ...all.timeline, calls: [] } })).toEqual(
      earlier,
    );
  });
});

describe("lines of JSON", () => {
  test("are read however the stream is cut", async () => {
    const text = '{"position":"1","text":"é😀"}\n\n{"position":"2"}\n{"position":"3"}';
    const whole = new TextEncoder().encode(text);
    for (const size of [1, 2, 3, 7, 1000]) {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < whole.length; at += size)
            controller.enqueue(whole.slice(at, at + size));
          controller.close();
        },
      });

      const lines: unknown[] = [];
      for await (const line of jsonLines(stream)) lines.push(line);

      expect(lines).toEqual([{ position: "1", text: "é😀" }, { position: "2" }, { position: "3" }]);
    }
  });
});

describe("a snapshot", () => {
  const sample = sampleAnswers({ calls: 12, objects: 12 });

  test("answers the questions that it holds, and says which it does not", async () => {
    const source = snapshotSource(sample);

    await expect(source.ask(paths.sessions)).resolves.toBe(sample.answers["sessions"]);
    await expect(source.ask(paths.object("elsewhere"))).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(source.ask("constructor")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("puts the messages into a call by their hashes", async () => {
    const path = paths.call("session-1", 2);
    const call = sample.answers[path] as CallAnswer;
    const data: SnapshotData = {
      format: 1,
      answers: { [path]: { ...call, messages: [{ hash: "h1", isShared: false, parts: [] }] } },
      messages: { h1: '{"role":"user"}' },
    };

    const answer = await snapshotSource(data).ask<CallAnswer>(path);

    expect(answer.messages[0]?.json).toBe('{"role":"user"}');
  });

  test("says which calls were damaged when it was made", async () => {
    const source = snapshotSource(sample);
    const { sessions } = await source.ask<SessionsAnswer>(paths.sessions);
    const id = sessions[0]?.id ?? "";

    const found = await source.ask<DamageAnswer>(paths.damage(id));

    expect(found.calls).toBe(12);
    expect(found.damaged).toEqual([
      { call: 3, problems: [expect.stringContaining("the rebuilt messages differ")] },
    ]);
    await expect(source.ask(paths.damage("elsewhere"))).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("says which versions of an object it has", async () => {
    const [path = ""] = Object.keys(sample.answers).filter((one) => /^objects\/[^/]+$/u.test(one));
    const { [`${path}/versions/3`]: _left, ...answers } = sample.answers;

    const object = await snapshotSource({ ...sample, answers }).ask<ObjectAnswer>(path);

    expect(object.versions.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(object.included).toEqual([1, 2]);
  });

  test("is searched by all whole words, whatever their case", async () => {
    const source = snapshotSource(sample);
    const hits = async (words: string): Promise<SearchAnswer["hits"]> =>
      (await source.ask<SearchAnswer>(paths.search(words))).hits;

    expect((await hits("VERSION limit"))[0]).toMatchObject({
      by: "words",
      version: 3,
      line: expect.stringContaining("limit"),
    });
    expect(await hits("limi")).toEqual([]);
    expect(await hits("limit nowhere-at-all")).toEqual([]);
    expect(await hits("  ")).toEqual([]);
  });

  test("is searched by handles and parts of names first", async () => {
    const source = snapshotSource(sample);
    const hits = async (words: string): Promise<SearchAnswer["hits"]> =>
      (await source.ask<SearchAnswer>(paths.search(words))).hits;
    const { sessions } = await source.ask<SessionsAnswer>(paths.sessions);
    const { timeline } = await source.ask<SessionAnswer>(paths.session(sessions[0]?.id ?? ""));
    const part = timeline.parts.find(({ id }) => id !== undefined);

    expect(await hits("DULE-1.ts")).toMatchObject([{ by: "name" }]);
    expect((await hits(part?.handle?.toUpperCase() ?? ""))[0]).toMatchObject({
      id: part?.id,
      by: "handle",
      handle: part?.handle,
    });
  });
});

describe("the local server", () => {
  test("is asked with the token in a header, and its errors have their words", async () => {
    await using server = await served((path, token, response) => {
      if (token !== "secret") response.writeHead(401).end();
      else if (path === "/api/sessions") response.end('{"sessions":[]}');
      else response.writeHead(503).end('{"error":{"code":"STORE_BUSY","message":"locked"}}');
    });

    await expect(serverSource("secret", server.origin).ask("sessions")).resolves.toEqual({
      sessions: [],
    });
    await expect(serverSource("other", server.origin).ask("sessions")).rejects.toMatchObject({
      code: "NO_TOKEN",
    });
    await expect(serverSource("secret", server.origin).ask("store")).rejects.toMatchObject({
      code: "STORE_BUSY",
      message: "locked",
    });
  });

  test("is followed from the last position again after the connection was lost", async () => {
    const asked: string[] = [];
    await using server = await served((path, _token, response) => {
      asked.push(path);
      if (asked.length > 1) response.write("\n");
      else response.end('{"position":"7","changed":[{"id":"a","type":"view"}]}\n');
    });
    const states: string[] = [];
    const notice = vi.fn<(change: unknown) => void>();

    const stop = serverSource("secret", server.origin).follow("5", notice, (state) =>
      states.push(state),
    );

    await vi.waitFor(() => expect(states).toEqual(["live", "reconnecting", "live"]), 60_000);
    stop();
    expect(asked).toEqual(["/api/changes?after=5", "/api/changes?after=7"]);
    expect(notice.mock.calls).toEqual([[{ position: "7", changed: [{ id: "a", type: "view" }] }]]);
  });

  test("that refuses the token is not asked again", async () => {
    await using server = await served((_path, _token, response) => {
      response.writeHead(401).end();
    });
    const states: string[] = [];

    serverSource("old", server.origin).follow(
      "5",
      () => undefined,
      (state) => states.push(state),
    );

    await vi.waitFor(() => expect(states).toEqual(["ended"]), 60_000);
  });
});

test("a graph has a place for each object, apart from the others, and the same again", () => {
  const ids = Array.from({ length: 12 }, (_, index) => `o${index}` as ObjectId);
  const graph = {
    nodes: ids.map((id, index) => ({ id, type: "note", name: id, distance: index === 0 ? 0 : 1 })),
    edges: ids
      .slice(1)
      .map((to) => ({ from: "o0" as ObjectId, to, relation: "x", kind: "link" as const })),
    isCut: false,
  };

  const { places, width, height } = graphPlaces(graph);

  for (const [index, one] of places.entries()) {
    expect(one.x > 0 && one.x < width && one.y > 0 && one.y < height).toBe(true);
    for (const other of places.slice(index + 1))
      expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(30);
  }
  expect(graphPlaces(graph).places).toEqual(places);
});

interface Served extends AsyncDisposable {
  readonly origin: string;
}

async function served(
  answer: (path: string, token: string | undefined, response: ServerResponse) => void,
): Promise<Served> {
  const server: Server = createServer(({ url = "", headers }, response) => {
    const token = headers["x-scm-token"];
    answer(url, typeof token === "string" ? token : undefined, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
