import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import {
  type ArrowFunctionExpression,
  type Function as FunctionWithName,
  type Node,
  parseSync,
} from "oxc-parser";

/** A function of a file: of its top level, or of another function. */
export interface Code {
  readonly name: string;
  /** From the root of the workspace, with `/`. */
  readonly file: string;
  readonly node: FunctionNode;
}

export type FunctionNode = ArrowFunctionExpression | FunctionWithName;

/** The sources of a workspace, which are parsed when they are needed. */
export interface Sources {
  /** The function that a name means at the top level of a file, also if the file imports it. */
  readonly find: (file: string, name: string) => Code | undefined;
}

/** What the names at the top level of a file mean. */
interface Names {
  readonly functions: ReadonlyMap<string, Code>;
  /** The file and the name there, for names that are imported or exported again. */
  readonly elsewhere: ReadonlyMap<string, readonly [file: string, name: string]>;
  /** The files that are exported again as a whole. */
  readonly rest: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
}

export function readSources(root: string): Sources {
  const entries = entriesIn(root);
  const read = new Map<string, Names>();
  const namesOf = (file: string): Names => {
    const known = read.get(file) ?? namesIn(root, file, entries);
    read.set(file, known);
    return known;
  };
  const find = (file: string, name: string): Code | undefined => {
    const { functions, elsewhere, rest } = namesOf(file);
    const own = functions.get(name);
    if (own !== undefined) return own;
    const other = elsewhere.get(name);
    if (other !== undefined) return find(...other);
    for (const one of rest) {
      const found = find(one, name);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return { find };
}

/** The source of each entry of the workspace's packages, by the name that imports use. */
function entriesIn(root: string): ReadonlyMap<string, string> {
  const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  return new Map(
    folders
      .filter((folder) => existsSync(join(root, folder, "package.json")))
      .flatMap((folder) => {
        const text = readFileSync(join(root, folder, "package.json"), "utf8");
        const { name, exports = {} }: Manifest = JSON.parse(text);
        return Object.entries(exports).flatMap(([path, entry]) => {
          const source = typeof entry === "string" ? undefined : entry[`@${scopeOf(name)}/source`];
          return source === undefined
            ? []
            : [[name + path.slice(1), join(folder, source).replaceAll(sep, "/")] as const];
        });
      }),
  );
}

function scopeOf(name: string): string {
  return name.slice(1, name.indexOf("/"));
}

function namesIn(root: string, file: string, entries: ReadonlyMap<string, string>): Names {
  const functions = new Map<string, Code>();
  const elsewhere = new Map<string, readonly [string, string]>();
  const rest: string[] = [];
  /** The file of an import; undefined outside the workspace. */
  const target = (path: string): string | undefined =>
    path.startsWith(".")
      ? relative(root, join(root, dirname(file), path)).replaceAll(sep, "/")
      : entries.get(path);
  for (const statement of parseSync(file, readFileSync(join(root, file), "utf8")).program.body) {
    if (statement.type === "ImportDeclaration") {
      const from = target(statement.source.value);
      for (const one of from === undefined ? [] : statement.specifiers)
        if (one.type === "ImportSpecifier" && from !== undefined)
          elsewhere.set(one.local.name, [from, nameOf(one.imported)]);
    } else if (statement.type === "ExportAllDeclaration") {
      const from = target(statement.source.value);
      if (from !== undefined) rest.push(from);
    } else if (statement.type === "ExportNamedDeclaration" && statement.source !== null) {
      const from = target(statement.source.value);
      for (const one of from === undefined ? [] : statement.specifiers)
        if (from !== undefined) elsewhere.set(nameOf(one.exported), [from, nameOf(one.local)]);
    } else {
      const declared =
        statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      for (const [name, node] of functionsOf(declared)) functions.set(name, { name, file, node });
    }
  }
  return { functions, elsewhere, rest };
}

function nameOf(node: Node): string {
  return node.type === "Identifier" ? node.name : node.type === "Literal" ? String(node.value) : "";
}

/** The functions that a declaration names. */
export function functionsOf(declared: Node | null): readonly (readonly [string, FunctionNode])[] {
  if (declared?.type === "FunctionDeclaration" && declared.id !== null && declared.body !== null)
    return [[declared.id.name, declared]];
  if (declared?.type !== "VariableDeclaration") return [];
  return declared.declarations.flatMap(({ id, init }) =>
    id.type === "Identifier" && init !== null && isFunction(init) ? [[id.name, init] as const] : [],
  );
}

export function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}
