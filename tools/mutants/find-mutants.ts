import { type Expression, type Node, parseSync } from "oxc-parser";

import { childrenOf } from "../children-of.ts";

/** A change of one place of a source, which a test should notice. */
export interface Mutant {
  readonly operator: string;
  /** The declaration at the top level of the file that contains it. */
  readonly within: string;
  readonly line: number;
  /** The code that is replaced, from `start` to `end`, and what replaces it. */
  readonly start: number;
  readonly end: number;
  readonly of: string;
  readonly becomes: string;
  /** Whether the code is a statement. All other code is an expression. */
  readonly isStatement: boolean;
}

type Change = readonly [operator: string, node: Node, becomes: string];

const otherOperators: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "===": [["condition", "!=="]],
  "!==": [["condition", "==="]],
  "<": [
    ["condition", ">="],
    ["boundary", "<="],
  ],
  ">": [
    ["condition", "<="],
    ["boundary", ">="],
  ],
  "<=": [
    ["condition", ">"],
    ["boundary", "<"],
  ],
  ">=": [
    ["condition", "<"],
    ["boundary", ">"],
  ],
  "+": [["arithmetic", "-"]],
  "-": [["arithmetic", "+"]],
  "*": [["arithmetic", "/"]],
  "/": [["arithmetic", "*"]],
  "%": [["arithmetic", "*"]],
  "+=": [["arithmetic", "-="]],
  "-=": [["arithmetic", "+="]],
  "++": [["arithmetic", "--"]],
  "--": [["arithmetic", "++"]],
  "&&": [["logic", "||"]],
  "||": [["logic", "&&"]],
};

/** Methods of lists, texts and `Math`, and the method that replaces each. */
const otherMethods: ReadonlyMap<string, string> = new Map(
  Object.entries({
    some: "every",
    every: "some",
    find: "findLast",
    findLast: "find",
    findIndex: "findLastIndex",
    findLastIndex: "findIndex",
    indexOf: "lastIndexOf",
    lastIndexOf: "indexOf",
    startsWith: "endsWith",
    endsWith: "startsWith",
    min: "max",
    max: "min",
    trimStart: "trimEnd",
    trimEnd: "trimStart",
  }),
);

/** Methods of lists and texts that can be left out. */
const removable: ReadonlySet<string> = new Set([
  "filter",
  "slice",
  "toSorted",
  "toReversed",
  "trim",
  "concat",
]);

/**
 * Finds the mutants of a source. Code that runs when the module is loaded has none: each would need a process of its own.
 */
export function findMutants(file: string, source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  const lineEnds = [...source.matchAll(/\n/gu)].map(({ index }) => index);
  for (const statement of parseSync(file, source).program.body)
    visit(statement, { within: nameOf(statement), isInside: false, chain: undefined });
  return found;

  function visit(node: Node, place: Place): void {
    if (node.type.startsWith("TS") && !("expression" in node)) return;
    if (node.type === "ImportDeclaration" || node.type === "TemplateElement") return;
    const chain = chainOf(node, place);
    if (place.isInside)
      for (const [operator, changed, becomes] of changesOf(node, source)) {
        const isStatement = changed.type.endsWith("Statement");
        const whole = isStatement ? changed : (chain ?? changed);
        const { start, end } = whole;
        found.push({
          operator,
          within: place.within,
          line: 1 + lineEnds.filter((at) => at < changed.start).length,
          start,
          end,
          of: source.slice(start, end),
          becomes: source.slice(start, changed.start) + becomes + source.slice(changed.end, end),
          isStatement,
        });
      }
    const isInside = place.isInside || node.type.includes("Function");
    for (const child of childrenOf(node, skippedFields(node)))
      visit(child, {
        within: place.within,
        isInside,
        chain: isSpine(node, child) ? chain : undefined,
      });
  }
}

interface Place {
  readonly within: string;
  /** Whether the code is inside a function. */
  readonly isInside: boolean;
  /** The whole chain `a?.b.c()` that the code is a beginning of. A part of a chain cannot be replaced alone. */
  readonly chain: Node | undefined;
}

function chainOf(node: Node, { chain }: Place): Node | undefined {
  return node.type === "ChainExpression" ? node : chain;
}

function isSpine(node: Node, child: Node): boolean {
  if (node.type === "ChainExpression" || node.type === "TSNonNullExpression") return true;
  if (node.type === "CallExpression") return child === node.callee;
  return node.type === "MemberExpression" && child === node.object;
}

/** The changes of one node, without those inside it. */
function changesOf(node: Node, source: string): readonly Change[] {
  const text = (one: Node): string => source.slice(one.start, one.end);
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return isComparison(node.test) ? [] : [["condition", node.test, `!(${text(node.test)})`]];
    case "BinaryExpression": {
      if (node.operator === "+" && (isText(node.left) || isText(node.right))) return [];
      return (otherOperators[node.operator] ?? []).map(([operator, other]) => [
        operator,
        node,
        `${text(node.left)} ${other} ${text(node.right)}`,
      ]);
    }
    case "LogicalExpression":
      if (node.operator === "??") return [["logic", node, text(node.left)]];
      return (otherOperators[node.operator] ?? []).map(([operator, other]) => [
        operator,
        node,
        `(${text(node.left)}) ${other} (${text(node.right)})`,
      ]);
    case "UnaryExpression":
      if (node.operator === "!") return [["condition", node, text(node.argument)]];
      return node.operator === "-" ? [["arithmetic", node, text(node.argument)]] : [];
    case "UpdateExpression":
    case "AssignmentExpression":
      return (otherOperators[node.operator] ?? []).map(([operator, other]) => [
        operator,
        node,
        text(node).replace(node.operator, other),
      ]);
    case "Literal":
      return literalChanges(node);
    case "TemplateLiteral":
      return [["constant", node, '""']];
    case "ArrayExpression":
      return node.elements.length === 0 ? [] : [["constant", node, "[]"]];
    case "ExpressionStatement":
      if (node.expression.type === "Literal" || text(node).startsWith("super(")) return [];
      return [["removed statement", node, ""]];
    case "ContinueStatement":
    case "BreakStatement":
      return [["removed statement", node, ""]];
    case "ReturnStatement":
      return node.argument === null || isPlain(node.argument)
        ? []
        : [["return", node, "return undefined;"]];
    case "MemberExpression":
      return node.optional && !node.computed
        ? [["optional chain", node, `${text(node.object)}.${text(node.property)}`]]
        : [];
    case "CallExpression":
      return methodChanges(node, text);
    default:
      return [];
  }
}

function literalChanges(node: Extract<Node, { type: "Literal" }>): readonly Change[] {
  const { value } = node;
  if (typeof value === "boolean") return [["constant", node, String(!value)]];
  if (typeof value === "number") return [["constant", node, value === 1 ? "0" : String(value + 1)]];
  if (typeof value === "string") return [["constant", node, value === "" ? '"mutant"' : '""']];
  return [];
}

function methodChanges(
  { callee, arguments: passed, start, end }: Extract<Node, { type: "CallExpression" }>,
  text: (one: Node) => string,
): readonly Change[] {
  if (callee.type !== "MemberExpression" || callee.computed) return [];
  const method = text(callee.property);
  const node = { ...callee, start, end };
  const object = text(callee.object);
  const other = otherMethods.get(method);
  if (other !== undefined) {
    const dot = callee.optional ? "?." : ".";
    return [["method", node, `${object}${dot}${other}(${passed.map(text).join(", ")})`]];
  }
  return removable.has(method) ? [["method", node, object]] : [];
}

function isComparison(node: Expression): boolean {
  return (
    (node.type === "BinaryExpression" && otherOperators[node.operator] !== undefined) ||
    (node.type === "UnaryExpression" && node.operator === "!")
  );
}

function isText(node: Node): boolean {
  return (
    node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string")
  );
}

/** Whether a returned expression has a mutant of its own that says as much. */
function isPlain(node: Expression): boolean {
  return node.type === "Literal" || (node.type === "Identifier" && node.name === "undefined");
}

/** The fields of a node that cannot be replaced: the names of fields, and what is assigned to. */
function skippedFields(node: Node): readonly string[] {
  switch (node.type) {
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return node.computed ? [] : ["key"];
    case "MemberExpression":
      return node.computed ? [] : ["property"];
    case "AssignmentExpression":
      return ["left"];
    case "UpdateExpression":
      return ["argument"];
    case "TaggedTemplateExpression":
      return ["quasi"];
    case "ImportExpression":
      return ["source"];
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return ["typeAnnotation"];
    default:
      return [];
  }
}

function nameOf(statement: Node): string {
  const declared =
    statement.type === "ExportNamedDeclaration" ? (statement.declaration ?? statement) : statement;
  if (declared.type === "VariableDeclaration") {
    const [first] = declared.declarations;
    return first?.id.type === "Identifier" ? first.id.name : "";
  }
  return "id" in declared && declared.id?.type === "Identifier" ? declared.id.name : "";
}
