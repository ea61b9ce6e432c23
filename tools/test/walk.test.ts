import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";

import { countByFile, countByRoom, enteredAgain } from "../walk/count-stays.ts";
import type { Step } from "../walk/follow-value.ts";
import { follow, ingestWalk, viewWalk } from "../walk/walks.ts";

// The most that the way of a host's messages may need. The numbers and the lists only become smaller.
describe("the way of a message through ingest", () => {
  const steps = follow(ingestWalk);

  it("returns to a file at most 2 times", () => {
    expect(countByFile(steps).returns).toBeLessThanOrEqual(2);
  });

  it("returns to a room at most 2 times", () => {
    expect(countByRoom(steps).returns).toBeLessThanOrEqual(2);
  });

  it("enters no file twice but these", () => {
    const again = new Set(["packages/core/src/history/ingest-messages.ts"]);

    expect(enteredAgain(countByFile(steps)).filter((file) => !again.has(file))).toEqual([]);
  });

  it("enters no room twice but these", () => {
    const again = new Set(["packages/core/src/history"]);

    expect(enteredAgain(countByRoom(steps)).filter((room) => !again.has(room))).toEqual([]);
  });
});

describe("the way from the input of the layout with epochs to the messages", () => {
  it("returns to a file at most 112 times", () => {
    expect(countByFile(follow(viewWalk)).returns).toBeLessThanOrEqual(112);
  });
});

describe("a walk", () => {
  it("does not stay in a function that stands for an operator, and follows what it returns", () => {
    const steps = walkOf({
      "packages/a/src/one/start.ts": `
        import { defined } from "@self-context-manager/objects";
        export function start(list: string[]) { third(defined({ list })); }
        function third({ list }: { list?: string[] }) { return list; }`,
      "packages/objects/package.json": JSON.stringify({
        name: "@self-context-manager/objects",
        exports: { ".": { "@self-context-manager/source": "./src/index.ts" } },
      }),
      "packages/objects/src/index.ts": 'export { defined } from "./model/defined.ts";',
      "packages/objects/src/model/defined.ts": "export function defined(fields) { return fields; }",
    });

    expect(namesOf(steps)).toEqual(["start as list", "third as list"]);
  });

  it("follows a call before the next one, and into other packages by their exports", () => {
    const steps = walkOf({
      "packages/a/src/one/start.ts": `
        import { second } from "../two/second.ts";
        import { outer } from "@self-context-manager/b";
        export function start(list: string[]) { second(list); third(list); outer(list.slice(1)); }
        function third(all: string[]) { return all; }`,
      "packages/a/src/two/second.ts": `
        import { fourth } from "./fourth.ts";
        export const second = (texts: string[]) => fourth(texts);`,
      "packages/a/src/two/fourth.ts": "export function fourth(one: string[]) { return one; }",
      "packages/b/package.json": JSON.stringify({
        name: "@self-context-manager/b",
        exports: { ".": { "@self-context-manager/source": "./src/index.ts" } },
      }),
      "packages/b/src/index.ts": 'export { outer } from "./outer.ts";',
      "packages/b/src/outer.ts": "export function outer(rest: string[]) { return rest; }",
    });

    expect(namesOf(steps)).toEqual([
      "start as list",
      "second as texts",
      "fourth as one",
      "third as all",
      "outer as rest",
    ]);
  });

  it("counts an entry into a place that was left, and not the end of a call", () => {
    const steps = walkOf({
      "packages/a/src/one/start.ts": `
        import { second } from "../two/second.ts";
        export function start(list: string[]) { second(list); second(list); own(list); }
        function own(list: string[]) { second(list); }`,
      "packages/a/src/two/second.ts": "export function second(texts: string[]) { return texts; }",
    });

    const rooms = countByRoom(steps);

    expect(rooms.stays.map(({ place }) => place)).toEqual([
      "packages/a/src/one",
      "packages/a/src/two",
      "packages/a/src/one",
      "packages/a/src/two",
    ]);
    expect(rooms.returns).toBe(2);
    expect(enteredAgain(rooms)).toEqual(["packages/a/src/one", "packages/a/src/two"]);
  });

  it("follows elements, fields, results of functions and what was put into a list", () => {
    const steps = walkIn(`
      export function start(list: { id: string }[], other: string) {
        const all: string[] = [];
        for (const one of list) all.push(same(one));
        const given = { all, other };
        const { all: some, other: none } = { ...given };
        some.map((text) => seen(text));
        seen(none);
        list.forEach(last);
      }
      function same(one: { id: string }) { return one.id; }
      function seen(text: string) { return text; }
      function last(element: { id: string }) { return element; }`);

    expect(namesOf(steps)).toEqual([
      "start as list",
      "same as one",
      "seen as text",
      "last as element",
    ]);
  });

  it("follows a local function where it is called, and what it uses of the function around it", () => {
    const steps = walkIn(`
      export function start(list: string[]) {
        const again = (isLast: boolean) => seen(list, isLast);
        first(list);
        again(true);
      }
      function seen(all: string[], isLast: boolean) { return isLast; }
      function first(all: string[]) { return all; }`);

    expect(namesOf(steps)).toEqual(["start as list", "first as all", "seen as all"]);
  });

  it("ends where something else is made of the value, except by the methods that it is given", () => {
    const code = `
      export function start(list: string[], codec: Codec) {
        seen(list.length);
        seen(\`\${list}\`);
        seen(codec.decode(list));
        seen(codec.identify(list));
      }
      function seen(all: unknown) { return all; }`;

    expect(namesOf(walkIn(code))).toEqual(["start as list"]);
    expect(namesOf(walkIn(code, ["identify"]))).toEqual(["start as list", "seen as all"]);
  });

  it("follows the same call once, also of a function that calls itself", () => {
    const steps = walkIn(`
      export function start(list: string[]) { again(list); again(list); }
      function again(all: string[]): unknown { return all.length > 1 ? again(all) : all; }`);

    expect(steps.map(({ function: name, isRepeated }) => [name, isRepeated])).toEqual([
      ["start", false],
      ["again", false],
      ["again", true],
      ["again", true],
    ]);
  });
});

test("a walk from a place that does not exist is refused", () => {
  const code = "export function start(list: string[]) { return list; }";

  expect(() => walkIn(code, [], "begin:list")).toThrow("has no function begin");
  expect(() => walkIn(code, [], "start:lists")).toThrow("has no parameter lists");
});

function walkIn(code: string, through: readonly string[] = [], start?: string): readonly Step[] {
  return walkOf({ "packages/a/src/one/start.ts": code }, through, start);
}

/** Follows a parameter in a workspace of a few files. */
function walkOf(
  files: Readonly<Record<string, string>>,
  through: readonly string[] = [],
  start = "start:list",
): readonly Step[] {
  const root = mkdtempSync(join(tmpdir(), "scm-walk-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return follow({ start: `packages/a/src/one/start.ts:${start}`, through }, root);
}

function namesOf(steps: readonly Step[]): readonly string[] {
  return steps.map(({ function: name, as }) => `${name} as ${as.join(", ")}`);
}
