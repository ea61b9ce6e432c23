import { type Direction, type Edge, type LinkWalk, walkLinks } from "@self-context-manager/links";
import type { ObjectId, StoredMetadata } from "@self-context-manager/core";

import { compareText, defined, describeAll } from "@self-context-manager/objects";

import { UsageError } from "../cli-errors.ts";
import {
  type Command,
  type CommandCall,
  jsonOption,
  targetNote,
  targetOptions,
  workspaceOption,
} from "../command.ts";
import { findLinked, linkParts, nameOf } from "../followed-links.ts";
import { counted } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { visible } from "../format/terminal-text.ts";
import { wholeNumber } from "../whole-number.ts";

const usual = { depth: 1, limit: 50 };

const directions: readonly Direction[] = ["in", "out", "both"];

export const graphCommand: Command = {
  name: "graph",
  summary: "show the objects around an object, along the links",
  arguments: "TARGET",
  argumentCount: { least: 1, most: 1 },
  options: {
    depth: { value: "N", help: `at most N links away; default ${usual.depth}` },
    limit: { value: "N", help: `at most N objects; default ${usual.limit}` },
    relation: {
      value: "NAME",
      help: "only links with this relation, such as part_of; links_to for plain links; several with commas",
    },
    direction: {
      value: "WAY",
      help: "out: only links that an object has; in: only links to it; default both",
    },
    ...targetOptions,
    ...workspaceOption,
    ...jsonOption,
  },
  notes: `${targetNote} TARGET can also be a name as in a link.
→ is a link of the object above, ← a link to it. (above) marks an object that is already shown, as in a cycle.`,
  async run(call) {
    const depth = wholeNumber(call, "depth", usual.depth);
    const limit = wholeNumber(call, "limit", usual.limit);
    const direction = directionOf(call);
    const relations = call.text("relation")?.split(",");
    await using store = await call.openStore();
    const parts = await linkParts(store, call);
    const start = await findLinked(parts, call, call.arguments[0] ?? "");
    const walk = await walkLinks(
      start.body.id,
      { depth, limit, direction, ...defined({ relations }) },
      parts,
    );
    const objects = await describeAll(store, [
      ...walk.objects.map(({ id }) => id),
      ...walk.edges.flatMap(({ from, to }) => [from, to]),
    ]);
    await call.print(
      call.isSet("json")
        ? asJson(walk, objects)
        : asTree(walk, (id) => nameOf(id, objects, call.folder)),
    );
    if (walk.isCut)
      call.note(
        `Only ${counted(limit, "object")} ${limit === 1 ? "is" : "are"} shown; --limit shows more.`,
      );
  },
};

function directionOf(call: CommandCall): Direction {
  const given = call.text("direction") ?? "both";
  const direction = directions.find((name) => name === given);
  if (direction !== undefined) return direction;
  throw new UsageError(
    `--direction is ${JSON.stringify(given)}; it must be ${directions.join(" or ")}`,
  );
}

/** The walk as a tree: each object once with what is around it, below the object from which it was reached first. */
function asTree(walk: LinkWalk, name: (id: ObjectId) => string): string {
  const depths = new Map(walk.objects.map(({ id, depth }) => [id, depth]));
  const around = new Map<ObjectId, Map<string, Branch>>();
  for (const edge of walk.edges) {
    const atFrom = depths.get(edge.from) ?? 0;
    const atTo = depths.get(edge.to) ?? 0;
    // A link is shown below the end that was reached first.
    const isOut = atFrom <= atTo;
    const [parent, child] = isOut ? [edge.from, edge.to] : [edge.to, edge.from];
    const branches = around.get(parent) ?? new Map<string, Branch>();
    around.set(parent, branches);
    const text = `${isOut ? "→" : "←"} ${edge.relation}${edge.isAmbiguous ? " (ambiguous)" : ""}`;
    const key = `${text} ${child}`;
    const known = branches.get(key);
    const place = known?.place ?? edge.link.range[0];
    branches.set(key, { text, child, isOut, place, count: (known?.count ?? 0) + 1 });
  }
  const [start] = walk.objects;
  if (start === undefined) return "";
  const shown = new Set<ObjectId>([start.id]);
  const lines = [visible(name(start.id))];
  if (!around.has(start.id)) lines.push("  no links");
  addBelow(start.id, "  ");
  return `${lines.join("\n")}\n`;

  function addBelow(id: ObjectId, indent: string): void {
    const branches = [...(around.get(id)?.values() ?? [])].toSorted(inOrder);
    const fresh = new Set<ObjectId>();
    for (const { child } of branches) {
      if (shown.has(child)) continue;
      shown.add(child);
      fresh.add(child);
    }
    for (const { text, child, count } of branches) {
      const times = count > 1 ? ` ×${count}` : "";
      const isFresh = fresh.delete(child);
      lines.push(visible(`${indent}${text}${times}  ${name(child)}${isFresh ? "" : " (above)"}`));
      if (isFresh) addBelow(child, `${indent}  `);
    }
  }

  /** The links of an object in their order, then those to it by the names of their documents. */
  function inOrder(one: Branch, other: Branch): number {
    if (one.isOut !== other.isOut) return one.isOut ? -1 : 1;
    const byName = one.isOut ? 0 : compareText(name(one.child), name(other.child));
    return byName || one.place - other.place;
  }
}

/** The links between two objects that are shown in one line. */
interface Branch {
  readonly isOut: boolean;
  /** Where the first of them is. */
  readonly place: number;
  readonly text: string;
  readonly child: ObjectId;
  readonly count: number;
}

function asJson(walk: LinkWalk, objects: ReadonlyMap<ObjectId, StoredMetadata>): string {
  return jsonText({
    objects: walk.objects.map(({ id, depth }) => {
      const body = objects.get(id)?.body;
      return {
        id,
        depth,
        type: body?.type ?? null,
        path: body?.["path"] ?? null,
        ...defined({ nickname: body?.nickname }),
      };
    }),
    edges: walk.edges.map((edge) => edgeJson(edge)),
    is_cut: walk.isCut,
  });
}

function edgeJson({
  from,
  to,
  relation,
  link,
  isAmbiguous,
}: Edge): Readonly<Record<string, unknown>> {
  return {
    from,
    to,
    relation,
    field: link.path,
    range: link.range,
    raw: link.raw,
    ...(isAmbiguous ? { ambiguous: true } : {}),
  };
}
