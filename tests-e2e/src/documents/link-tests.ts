import {
  backlinksOf,
  edgesOf,
  type FollowedLink,
  type LinkParts,
  linksOf,
  updateIndex,
  walkLinks,
} from "@self-context-manager/links";
import { markdownParser } from "@self-context-manager/documents";
import {
  type ObjectBody,
  type ObjectId,
  objectId,
  type ObjectStore,
  sealObject,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import * as fc from "fast-check";
import type { StorePlace } from "@self-context-manager/store-contract";
import { expect, it } from "vitest";

const workspace = "/work";
const folders = ["", "a/", "b/", "a/c/"];
const titles = ["Plan", "plan", "Über", "Sprint #4", "x.y", "todo"];
const nicknames = ["the-plan", "Plan", "other"];
const targets = [
  ...titles,
  ...nicknames,
  "a/Plan",
  "./Plan",
  "../todo.md",
  "/b/x.y.md",
  "Über",
  "B plan",
  "nowhere",
  "o3",
  "o1",
  "Plan#Costs",
  "#Costs",
  "",
];
const paths = folders.flatMap((folder) =>
  titles.map((title) => `${workspace}/${folder}${title}.md`),
);

/** A change of a vault: of the content, the place or the nickname of one of its objects, or its end. */
type Change = {
  readonly note: number;
  readonly path?: string | null;
  readonly nickname?: string | null;
  readonly links?: readonly string[];
  readonly alias?: string;
};

const change: fc.Arbitrary<Change> = fc.record(
  {
    note: fc.nat({ max: 7 }),
    path: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...paths) }, fc.constant(null)),
    nickname: fc.option(fc.constantFrom(...nicknames)),
    links: fc.array(fc.constantFrom(...targets), { maxLength: 4 }),
    alias: fc.constantFrom("B plan", "Plan", "C"),
  },
  { requiredKeys: ["note"] },
);

function contentOf({ links = [], alias }: Change): string {
  const front = alias === undefined ? "" : `---\naliases: ["${alias}"]\n---\n`;
  const written = links.map((target, index) =>
    index % 2 === 0 ? `see [[${target}]]` : `- part_of [[${target}|x]]`,
  );
  return `${front}# Costs\n\n${written.join("\n")}\n`;
}

function bodyAfter(before: ObjectBody | undefined, change: Change): ObjectBody {
  const { note, path, nickname } = change;
  const gone = path === null;
  const { nickname: former, ...rest } = before ?? {
    id: objectId(`o${note}`),
    type: "file",
    locked: false,
    provenance: { origin: "a test", generator: "agent" as const },
    content: "",
    path: `${workspace}/${note}.md`,
    file_type: "markdown",
  };
  const kept = nickname === undefined ? former : (nickname ?? undefined);
  return {
    ...rest,
    ...(kept === undefined ? {} : { nickname: kept }),
    ...(path === undefined ? {} : { path }),
    content: gone
      ? null
      : change.links === undefined && before !== undefined
        ? (before.content ?? "")
        : contentOf(change),
  };
}

async function apply(store: ObjectStore, change: Change): Promise<void> {
  const id = objectId(`o${change.note}`);
  const before = await store.get(id);
  try {
    await store.commit([{ object: sealObject(bodyAfter(before?.body, change)) }]);
  } catch (error) {
    // Another object has the nickname.
    if (!String(error).includes("nickname")) throw error;
  }
}

function partsOf(store: ObjectStore): LinkParts {
  return { store, parser: markdownParser, workspace };
}

function written(links: readonly FollowedLink[]): readonly string[] {
  return links.map(({ from, link, target }) =>
    JSON.stringify([from.id, link.range, link.name, target]),
  );
}

/** The state of a store, resolved from nothing. */
async function fresh(store: ObjectStore, ids: readonly ObjectId[]): Promise<LinkParts> {
  const other = memoryStore();
  for (const stored of await store.getMany(ids)) {
    if (stored !== undefined) await other.commit([{ object: sealObject(stored.body) }]);
  }
  await updateIndex(other, markdownParser);
  return partsOf(other);
}

/** How many random vaults are tried, and milliseconds for each test. */
interface Scale {
  readonly runs: number;
  readonly timeLimit: number;
}

/** Declares the tests of links, backlinks and walks, on any store. */
export function linkTests(
  createPlace: () => Promise<Pick<StorePlace, "open"> & AsyncDisposable>,
  { runs, timeLimit }: Scale,
): void {
  it(
    "mean after any moves, renames and changes what they mean when all is resolved from nothing",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
          async (rounds) => {
            await using place = await createPlace();
            await using store = await place.open();
            const ids = Array.from({ length: 8 }, (_, note) => objectId(`o${note}`));
            for (const changes of rounds) {
              for (const one of changes) await apply(store, one);
              await updateIndex(store, markdownParser);
              const parts = partsOf(store);
              const expected = await fresh(store, ids);

              const links = await linksOf(ids, parts);
              expect(written(links)).toEqual(written(await linksOf(ids, expected)));

              for (const id of ids) {
                const back = links.filter(
                  ({ target }) => target.state !== "unresolved" && target.id === id,
                );
                expect(new Set(written(await backlinksOf(id, parts)))).toEqual(
                  new Set(written(back)),
                );
              }
            }
          },
        ),
        { numRuns: runs },
      );
    },
    timeLimit,
  );

  it(
    "are walked like a plain graph",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { minLength: 3, maxLength: 20 }),
          fc.constantFrom("in" as const, "out" as const, "both" as const),
          fc.option(fc.constantFrom("part_of", "links_to"), { nil: undefined }),
          fc.nat({ max: 4 }),
          async (changes, direction, relation, depth) => {
            await using place = await createPlace();
            await using store = await place.open();
            for (const one of changes) await apply(store, one);
            await updateIndex(store, markdownParser);
            const parts = partsOf(store);
            const ids = Array.from({ length: 8 }, (_, note) => objectId(`o${note}`));
            const relations = relation === undefined ? {} : { relations: [relation] };
            const all = (
              await Promise.all(
                ids.map(async (id) => await edgesOf(id, { direction: "out", ...relations }, parts)),
              )
            ).flat();

            const walk = await walkLinks(
              ids[0] ?? objectId(""),
              { direction, depth, ...relations },
              parts,
            );

            const distance = new Map<ObjectId, number>([[ids[0] ?? objectId(""), 0]]);
            for (let step = 1; step <= depth; step += 1) {
              const reached = new Set(distance.keys());
              for (const { from, to } of all) {
                if (direction !== "in" && reached.has(from) && !distance.has(to))
                  distance.set(to, step);
                if (direction !== "out" && reached.has(to) && !distance.has(from))
                  distance.set(from, step);
              }
            }
            expect(new Map(walk.objects.map((one) => [one.id, one.depth]))).toEqual(distance);
            expect(walk.isCut).toBe(false);
          },
        ),
        { numRuns: runs },
      );
    },
    timeLimit,
  );
}
