import type { Node } from "oxc-parser";

import { childrenOf } from "../children-of.ts";
import { type Code, type FunctionNode, functionsOf, isFunction, type Sources } from "./sources.ts";

/** The value that is followed: a parameter of a function. */
export interface Start {
  readonly code: Code;
  readonly parameter: string;
  /**
   * Methods of other objects whose result still is the value. The result of any other method of an object that is not
   * the value, as of `known.get(value)`, is another value.
   */
  readonly through: readonly string[];
}

/** A call that passes the value on to a function at the top level of a file. */
export interface Step {
  readonly file: string;
  readonly function: string;
  /** The names of the value in the function's parameters. */
  readonly as: readonly string[];
  /** Whether the same call, with the value in the same parameters, was followed before. It is not followed again. */
  readonly isRepeated: boolean;
}

/**
 * How an expression bears the value: as a whole, in some fields of an object, or not at all. A list and its elements
 * are not distinguished.
 */
type Bearing = "whole" | ReadonlyMap<string, Bearing> | undefined;

/** A function within a function, which can use the names around it. */
interface Inner {
  readonly node: FunctionNode;
  readonly around: Scope;
}

interface Scope {
  readonly file: string;
  readonly around: Scope | undefined;
  readonly bearings: Map<string, Bearing>;
  readonly functions: Map<string, Inner>;
  /** What the function returns, as far as it was read. */
  returned: Bearing;
}

/** Methods of lists whose result is the list, a part of it or an element. */
const keeping: ReadonlySet<string> = namesIn(
  "at concat entries filter find findLast flat keys pop reverse shift slice sort splice",
  "toReversed toSorted toSpliced values with",
);

/** Methods of lists whose result is made of the results of the function that they get. */
const making: ReadonlySet<string> = new Set(["flatMap", "map", "reduce"]);

/** Methods of lists that call the function that they get with two elements. */
const pairing: ReadonlySet<string> = new Set(["reduce", "sort", "toSorted"]);

/** Methods after which their object bears what they got. */
const adding: ReadonlySet<string> = new Set(["add", "push", "set", "unshift"]);

/**
 * Functions that stand for an operator of the language: a call of one is no stay, and returns what it got. `groupsOf` is an
 * iteration over a list, `continued` and `joined` put lists together, `commonLength` compares two, and `madeOnce` is a
 * function whose results are kept.
 */
const operators: ReadonlySet<string> = new Set([
  "packages/objects/src/model/defined.ts:defined",
  "packages/objects/src/model/list-groups.ts:groupsOf",
  "packages/objects/src/model/list-groups.ts:continued",
  "packages/objects/src/model/list-groups.ts:commonLength",
  "packages/objects/src/model/list-groups.ts:joined",
  "packages/objects/src/model/made-once.ts:madeOnce",
]);

/** Follows a value through all calls that pass it on, in the order of the code: a call is followed before the next one. */
export function followValue(
  sources: Sources,
  { code, parameter, through }: Start,
): readonly Step[] {
  const steps: Step[] = [];
  const results = new Map<string, Bearing>();
  const open = new Set<FunctionNode>();
  enter(
    code,
    code.node.params.map((one) => (isNamed(one, parameter) ? "whole" : undefined)),
  );
  return steps;

  function enter(entered: Code, given: readonly Bearing[]): Bearing {
    const { file, name, node } = entered;
    if (operators.has(`${file}:${name}`)) return given[0];
    const scope = newScope(file, undefined);
    bindAll(node, given, scope);
    const as = [...scope.bearings].flatMap(([one, bears]) => (bears === undefined ? [] : [one]));
    if (as.length === 0) return undefined;
    const call = `${file} ${name} ${given.map(textOf).join()}`;
    const isRepeated = results.has(call);
    steps.push({ file, function: name, as, isRepeated });
    if (isRepeated) return results.get(call);
    // A call of the function in itself adds nothing to what it returns.
    results.set(call, undefined);
    const returned = readBody(node, scope);
    results.set(call, returned);
    return returned;
  }

  function callInner({ node, around }: Inner, given: readonly Bearing[]): Bearing {
    if (open.has(node)) return undefined;
    open.add(node);
    const scope = newScope(around.file, around);
    bindAll(node, given, scope);
    const returned = readBody(node, scope);
    open.delete(node);
    return returned;
  }

  function readBody({ body }: FunctionNode, scope: Scope): Bearing {
    if (body === null) return undefined;
    const result = read(body, scope);
    return body.type === "BlockStatement" ? scope.returned : result;
  }

  function bindAll({ params }: FunctionNode, given: readonly Bearing[], scope: Scope): void {
    for (const [index, one] of params.entries()) bind(one, given[index], scope);
  }

  /** Gives the names of a pattern the parts of a value. */
  function bind(pattern: Node, given: Bearing, scope: Scope): void {
    if (pattern.type === "Identifier") scope.bearings.set(pattern.name, given);
    else if (pattern.type === "AssignmentPattern")
      bind(pattern.left, union(given, read(pattern.right, scope)), scope);
    else if (pattern.type === "RestElement") bind(pattern.argument, given, scope);
    else if (pattern.type === "ArrayPattern") {
      for (const one of pattern.elements) if (one !== null) bind(one, given, scope);
    } else if (pattern.type === "ObjectPattern") {
      for (const one of pattern.properties)
        if (one.type === "RestElement") bind(one.argument, given, scope);
        else bind(one.value, fieldOf(given, keyOf(one.key, one.computed)), scope);
    }
  }

  /** Reads an expression or a statement in the order of the code. Returns how an expression bears the value. */
  function read(node: Node, scope: Scope): Bearing {
    switch (node.type) {
      case "Identifier":
        return lookUp(scope, node.name);
      // A function that is passed on is read where it is written. It stands for what it returns.
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        return callInner({ node, around: scope }, []);
      case "FunctionDeclaration":
        return undefined;
      case "BlockStatement":
        for (const one of node.body)
          for (const [name, inner] of functionsOf(one))
            scope.functions.set(name, { node: inner, around: scope });
        return readAll(node, scope);
      case "VariableDeclarator":
        // A function with a name is read where it is called.
        if (node.init !== null && !isFunction(node.init))
          bind(node.id, read(node.init, scope), scope);
        return undefined;
      case "AssignmentExpression": {
        const given = read(node.right, scope);
        if (node.left.type === "Identifier") addTo(scope, node.left.name, given);
        return given;
      }
      case "ForOfStatement": {
        const given = read(node.right, scope);
        if (node.left.type === "VariableDeclaration")
          for (const { id } of node.left.declarations) bind(id, given, scope);
        return read(node.body, scope);
      }
      case "ReturnStatement":
        if (node.argument !== null)
          scope.returned = union(scope.returned, read(node.argument, scope));
        return undefined;
      case "MemberExpression": {
        const of = read(node.object, scope);
        if (!node.computed) return fieldOf(of, keyOf(node.property, false));
        read(node.property, scope);
        return of;
      }
      case "ObjectExpression":
        return node.properties.reduce((made: Bearing, one) => {
          if (one.type === "SpreadElement") return union(made, read(one.argument, scope));
          const value = read(one.value, scope);
          if (value === undefined) return made;
          return union(made, new Map([[keyOf(one.key, one.computed), value]]));
        }, undefined);
      case "ConditionalExpression":
        read(node.test, scope);
        return union(read(node.consequent, scope), read(node.alternate, scope));
      case "ArrayExpression":
      case "AwaitExpression":
      case "ChainExpression":
      case "LogicalExpression":
      case "NewExpression":
      case "ParenthesizedExpression":
      case "SpreadElement":
      case "TSAsExpression":
      case "TSNonNullExpression":
      case "TSSatisfiesExpression":
        return unionOf(childrenOf(node).map((one) => read(one, scope)));
      case "CallExpression":
        if (node.callee.type === "Identifier")
          return callByName(node.callee.name, node.arguments, scope);
        if (node.callee.type === "MemberExpression")
          return callMethod(node.callee, node.arguments, scope);
        return readAll(node, scope);
      default:
        // A text, a number or a truth that was computed from the value is another value.
        return readAll(node, scope);
    }
  }

  function readAll(node: Node, scope: Scope): undefined {
    for (const one of childrenOf(node)) read(one, scope);
  }

  function callByName(name: string, passed: readonly Node[], scope: Scope): Bearing {
    const given = passed.map((one) => read(one, scope));
    const callee = calleeOf(name, scope);
    return callee === undefined ? lookUp(scope, name) : call(callee, given);
  }

  function callMethod(
    { object, property, computed }: Extract<Node, { type: "MemberExpression" }>,
    passed: readonly Node[],
    scope: Scope,
  ): Bearing {
    const of = read(object, scope);
    const method = keyOf(property, computed);
    const elements = [of, pairing.has(method) ? of : undefined];
    const given = passed.map((one) => {
      if (isFunction(one)) return callInner({ node: one, around: scope }, elements);
      const callee = one.type === "Identifier" ? calleeOf(one.name, scope) : undefined;
      return callee === undefined ? read(one, scope) : call(callee, elements);
    });
    if (adding.has(method) && object.type === "Identifier")
      addTo(scope, object.name, unionOf(given));
    if (of === undefined) return through.includes(method) ? unionOf(given) : undefined;
    if (making.has(method)) return unionOf(given);
    return keeping.has(method) ? of : undefined;
  }

  function calleeOf(name: string, scope: Scope): Code | Inner | undefined {
    return innerOf(scope, name) ?? sources.find(scope.file, name);
  }

  function call(callee: Code | Inner, given: readonly Bearing[]): Bearing {
    return "around" in callee ? callInner(callee, given) : enter(callee, given);
  }
}

function namesIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(" ")));
}

function newScope(file: string, around: Scope | undefined): Scope {
  return { file, around, bearings: new Map(), functions: new Map(), returned: undefined };
}

function lookUp(scope: Scope | undefined, name: string): Bearing {
  if (scope === undefined) return undefined;
  return scope.bearings.has(name) ? scope.bearings.get(name) : lookUp(scope.around, name);
}

function innerOf(scope: Scope | undefined, name: string): Inner | undefined {
  return scope?.functions.get(name) ?? (scope && innerOf(scope.around, name));
}

function addTo(scope: Scope, name: string, given: Bearing): void {
  let owner = scope;
  while (!owner.bearings.has(name) && owner.around !== undefined) owner = owner.around;
  owner.bearings.set(name, union(owner.bearings.get(name), given));
}

function fieldOf(of: Bearing, name: string): Bearing {
  if (name === "length" || name === "size") return undefined;
  return of === undefined || of === "whole" ? of : of.get(name);
}

function union(left: Bearing, right: Bearing): Bearing {
  if (left === undefined || right === "whole") return right;
  if (right === undefined || left === "whole") return left;
  const both = new Map(left);
  for (const [name, one] of right) both.set(name, union(both.get(name), one));
  return both;
}

function unionOf(all: readonly Bearing[]): Bearing {
  return all.reduce(union, undefined);
}

function textOf(one: Bearing): string {
  if (one === undefined || one === "whole") return one ?? "";
  const fields = [...one].map(([name, of]) => `${name}:${textOf(of)}`);
  return `{${fields.toSorted().join()}}`;
}

function keyOf(key: Node, isComputed: boolean): string {
  if (isComputed) return "";
  return key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : "";
}

function isNamed(pattern: Node, name: string): boolean {
  const [named] = pattern.type === "AssignmentPattern" ? [pattern.left] : [pattern];
  return named?.type === "Identifier" && named.name === name;
}
