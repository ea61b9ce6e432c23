import {
  type CallFacts,
  type JsonObject,
  knownTool,
  usualToolFacts,
} from "@self-context-manager/core";

/**
 * What a recorded call does. Beside the tools that core knows, these are the commands of SWE-agent, which its
 * trajectories have in the place of a shell's; `other` for a tool that nobody has.
 */
export function classifyCall(toolName: string, args: JsonObject): CallFacts {
  const command = args["command"] ?? args["cmd"];
  const isShell = knownTool(toolName)?.form === "command-line";
  const facts = isShell && typeof command === "string" ? agentCommand(command) : undefined;
  return facts ?? usualToolFacts(toolName, args);
}

/** What a file is known by in a replay: the last two parts of its path, since recorders write it in several ways. */
export function fileName(path: string): string {
  return path
    .split(/[\\/]+/u)
    .filter((part) => part !== "" && part !== ".")
    .slice(-2)
    .join("/");
}

/** SWE-agent's own commands, which stand where a shell's do. */
function agentCommand(command: string): CallFacts | undefined {
  const [name, ...operands] = (command.split("\n", 1)[0] ?? "").trim().split(/\s+/u);
  switch (name) {
    case "open":
      return { kind: "read", paths: operands.slice(0, 1) };
    case "goto":
    case "scroll_up":
    case "scroll_down":
      return { kind: "read", paths: [] };
    case "create":
      return createdFile(operands[0]);
    case "edit":
      return { kind: "edit", paths: [] };
    case "search_dir":
    case "search_file":
    case "find_file":
      return { kind: "search", paths: operands.slice(1) };
    case "submit":
      return { kind: "other", paths: [] };
    default:
      return undefined;
  }
}

function createdFile(path: string | undefined): CallFacts {
  return path === undefined
    ? { kind: "write", paths: [] }
    : { kind: "write", paths: [path], writtenPath: path };
}
