import { type CallFacts, type JsonObject, usualToolFacts } from "@self-context-manager/core";
import { knownTool } from "@self-context-manager/core/rehearsal";

/**
 * Classifies a recorded tool call: by the tools that core knows and by the commands of SWE-agent, which its trajectories
 * contain instead of shell commands. A tool that is not known is `other`.
 */
export function classifyCall(toolName: string, args: JsonObject): CallFacts {
  const command = args["command"] ?? args["cmd"];
  const isShell = knownTool(toolName)?.form === "command-line";
  const facts = isShell && typeof command === "string" ? agentCommand(command) : undefined;
  return facts ?? usualToolFacts(toolName, args);
}

/** The name of a file in a replay: the last two parts of its path, because recorders write paths in different ways. */
export function fileName(path: string): string {
  return path
    .split(/[\\/]+/u)
    .filter((part) => part !== "" && part !== ".")
    .slice(-2)
    .join("/");
}

/** Reads SWE-agent's own commands, which are passed in place of a shell command. */
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
