import type { CallKind } from "./call-kind.ts";

/**
 * How the arguments of a tool name files: `paths` as arguments, `command-line` in a command for a shell, `patch` also
 * in the text of a patch, `editor` as a path with a command beside it, `script` in the strings of a JavaScript program.
 */
export type ArgumentForm = "paths" | "command-line" | "patch" | "editor" | "script";

/** What a tool does, as far as its name says it. */
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
 * The tools of the usual harnesses by name, in small letters: Pi, Claude Code, Codex CLI, OpenCode, SWE-agent and
 * OpenHands.
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

/** The tool of this name, in any case of letters; undefined where none of the usual harnesses has one. */
export function knownTool(toolName: string): KnownTool | undefined {
  const name = toolName.toLowerCase();
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}
