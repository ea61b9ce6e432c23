import { type Node, visitorKeys } from "oxc-parser";

/** The nodes directly inside a node of a syntax tree, in the order of the code, without those of some fields. */
export function childrenOf(node: Node, without: readonly string[] = []): readonly Node[] {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  return (visitorKeys[node.type] ?? [])
    .filter((name) => !without.includes(name))
    .flatMap((name) => fields[name] ?? [])
    .filter((one) => one !== null) as Node[];
}
