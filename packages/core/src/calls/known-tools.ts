import type { CallKind } from "./call-kind.ts";

/**
 * How the arguments of a tool name files. `paths`: as arguments. `command-line`: in a command for a shell. `patch`: as
 * arguments and in the text of a patch. `editor`: as a path, with a command as another argument. `script`: in the
 * strings of a JavaScript program.
 */
export type ArgumentForm = "paths" | "command-line" | "patch" | "editor" | "script";

/** What the name of a tool shows about its calls. */
export interface KnownTool {
  readonly kind: CallKind;
  readonly form: ArgumentForm;
}

const read: KnownTool = { kind: "read", form: "paths" };
const write: KnownTool = { kind: "write", form: "paths" };
const edit: KnownTool = { kind: "edit", form: "patch" };
const search: KnownTool = { kind: "search", form: "paths" };
const shell: KnownTool = { kind: "command", form: "command-line" };
const web: KnownTool = { kind: "web", form: "paths" };
const agent: KnownTool = { kind: "agent", form: "paths" };

/**
 * The tools of common harnesses by name, in lower case: Pi, Claude Code, Codex CLI, OpenCode, SWE-agent and OpenHands.
 */
const tools: Readonly<Record<string, KnownTool>> = {
  read,
  notebookread: read,
  read_file: read,
  view_image: read,

  write,

  edit,
  multiedit: edit,
  notebookedit: edit,
  edit_file: edit,
  patch: edit,
  apply_patch: edit,
  str_replace_editor: { kind: "edit", form: "editor" },

  grep: search,
  grep_files: search,
  find: search,
  glob: search,
  ls: search,
  list: search,
  list_dir: search,
  search,

  bash: shell,
  execute_bash: shell,
  shell,
  local_shell: shell,
  shell_command: shell,
  "container.exec": shell,
  exec_command: shell,
  powershell: shell,
  monitor: shell,
  run: shell,
  exec: { kind: "command", form: "script" },
  write_stdin: { kind: "command", form: "paths" },
  wait: { kind: "command", form: "paths" },

  fetch: web,
  webfetch: web,
  web_fetch: web,
  websearch: web,
  web_search: web,
  browse: web,
  browser: web,

  task: agent,
  agent,
  subagent: agent,
  spawn_agent: agent,
  wait_agent: agent,
};

/**
 * Returns the tool of this name, in upper or lower case. Returns undefined if none of the common harnesses has such a
 * tool.
 */
export function knownTool(toolName: string): KnownTool | undefined {
  const name = toolName.toLowerCase();
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}
