import { type ContextOperation, defined } from "@self-context-manager/objects";
import { type ShellCommand, shellPipelines } from "./shell-commands.ts";

/**
 * The kind of a tool call. The policy treats a result by it: the text of a file, a list of places, the output of a
 * program, a web page, the report of a sub-agent, or the message that a file was changed.
 */
export type CallKind = "read" | "search" | "command" | "write" | "edit" | "web" | "agent" | "other";

/** The facts of a call that follow from its arguments. */
export interface CallFacts {
  readonly kind: CallKind;
  /** The files and folders that the call names, as written there, each once. */
  readonly paths: readonly string[];
  /** For a write or an edit: the file that it creates or changes. If it changes several, the first. */
  readonly writtenPath?: string;
  /**
   * The command line that the call runs in a shell, if it does. Its words name files that the call can read and change,
   * also where `paths` has none of them.
   */
  readonly commandLine?: string;
  /**
   * What the tool does to the session, if its calls run `read`, `activate` and so on of the session. A tool of the host
   * can have the same name; only a result that carries what a context tool did is one.
   */
  readonly contextTool?: ContextOperation;
}

const readers = new Set(["cat", "nl", "head", "tail", "bat", "batcat", "less"]);
const searchers = new Set(["rg", "grep", "egrep", "fgrep", "find", "fd", "fdfind", "ls", "tree"]);
/** Commands that print little or nothing. They do not change the kind of a line that also reads or searches. */
const bystanders = new Set(
  (
    "cd pushd popd echo printf true : set export unset local pwd test [ [[ sleep wc stat file " +
    "basename dirname date which type for while until do done then else elif if fi case esac { } shopt"
  ).split(" "),
);
const wrappers = new Set([
  ..."sudo time nohup command builtin exec env nice timeout stdbuf rtk".split(" "),
  ..."do then else elif if while until ! {".split(" "),
]);
const shells = new Set(["sh", "bash", "zsh", "dash", "ksh"]);

/**
 * Returns what a shell's command line does.
 *
 * Only `cat`, `sed -n`, `nl`, `head`, `tail`, `bat` and `less` are reads. `rg`, `grep`, `git grep`, `find`, `fd`, `ls`
 * and `tree` are searches. A here-document into a file is a write, and a here-document with a patch is an edit. A line
 * is a read or a search if all its commands are, except those that print little (`cd`, `echo`, `wc` …). Reads and
 * searches together are a search. Every other line is a command.
 */
export function commandFacts(line: string): CallFacts {
  return factsOf(line, 0);
}

/** Returns the files that a patch in the form of `apply_patch` changes, in its order. */
export function patchedPaths(patch: string): readonly string[] {
  const headers = patch.matchAll(
    /^\*\*\* (?:Add|Update|Delete) File: (.+?)\r?$|^\*\*\* Move to: (.+?)\r?$/gmu,
  );
  return [...new Set([...headers].map(([, changed, moved]) => (changed ?? moved ?? "").trim()))];
}

function factsOf(line: string, depth: number): CallFacts {
  const kinds: CallKind[] = [];
  const paths: string[] = [];
  let writtenPath: string | undefined;
  for (const pipeline of shellPipelines(line)) {
    const facts = pipeline.filter(isRun).map((command) => commandOf(command, depth));
    paths.push(...facts.flatMap((fact) => fact.paths));
    writtenPath ??= facts.find((fact) => fact.writtenPath !== undefined)?.writtenPath;
    const kind = pipelineKind(facts);
    if (kind !== undefined) kinds.push(kind);
  }
  return { kind: lineKind(kinds), paths: [...new Set(paths)], ...defined({ writtenPath }) };
}

/** Whether a command runs a program or writes a file; one that only opens a file for input does neither. */
function isRun({ words, outputs }: ShellCommand): boolean {
  return words.length > 0 || outputs.length > 0;
}

function lineKind(kinds: readonly CallKind[]): CallKind {
  const first = kinds[0];
  if (first === undefined) return "command";
  if (kinds.every((kind) => kind === first)) return first;
  for (const changing of ["write", "edit"] as const) if (kinds.includes(changing)) return changing;
  return kinds.every((kind) => kind === "read" || kind === "search") ? "search" : "command";
}

/** The kind of one command; `undefined` for a command that prints little or nothing. */
type CommandKind = CallKind | undefined;

interface CommandFacts {
  readonly kind: CommandKind;
  readonly paths: readonly string[];
  readonly writtenPath?: string;
  /** Whether it passes on the text of a file or of the command before. */
  readonly passesOn: boolean;
}

function pipelineKind(facts: readonly CommandFacts[]): CommandKind {
  const changing = facts.find(({ kind }) => kind === "write" || kind === "edit");
  if (changing !== undefined) return changing.kind;
  const [first, ...rest] = facts;
  if (first?.kind !== "read") return first?.kind;
  if (rest.every((fact) => fact.passesOn)) return "read";
  return rest.some(({ kind }) => kind === "search") ? "search" : "command";
}

function commandOf(command: ShellCommand, depth: number): CommandFacts {
  const words = unwrapped(command.words);
  const [name = "", ...rest] = words;
  const tool = name.slice(name.lastIndexOf("/") + 1);
  const named = rest.filter(isPathLike);
  const output = command.outputs[0];

  if (command.hereDocument !== undefined) {
    const patched = patchedPaths(command.hereDocument);
    if (patched.length > 0) return changed("edit", patched);
    const target =
      output ?? (tool === "tee" ? rest.find((word) => !word.startsWith("-")) : undefined);
    if (target !== undefined && (tool === "cat" || tool === "tee" || tool === "")) {
      return changed("write", [target]);
    }
  }
  if (tool === "apply_patch" || tool === "applypatch") {
    return changed("edit", patchedPaths(rest.join("\n")));
  }
  const script = innerScript(words);
  if (script !== undefined && depth < 3) {
    const { kind, paths, writtenPath } = factsOf(script, depth + 1);
    return { kind, paths, passesOn: false, ...defined({ writtenPath }) };
  }

  // The output of a command does not appear in the result if it goes into a file.
  if (output !== undefined) {
    return { kind: "command", paths: [...named, ...command.outputs], passesOn: false };
  }
  if (command.hereDocument === undefined && readers.has(tool)) {
    return { kind: "read", paths: fileOperands(tool, rest), passesOn: true };
  }
  if (tool === "sed" && isPrintingSed(rest)) {
    return { kind: "read", paths: sedFiles(rest), passesOn: true };
  }
  if (
    searchers.has(tool) &&
    !(tool === "find" && rest.some((word) => /^-(?:delete|exec)/u.test(word)))
  ) {
    return { kind: "search", paths: named, passesOn: false };
  }
  if (tool === "git" && subcommand(rest) === "grep") {
    return { kind: "search", paths: named, passesOn: false };
  }
  // `cat` of a here-document prints text that the call itself contains.
  const isBystander = tool === "" || bystanders.has(tool) || readers.has(tool);
  const kind = isBystander ? undefined : "command";
  return { kind, paths: tool === "cd" ? [] : named, passesOn: false };
}

function changed(kind: "write" | "edit", paths: readonly string[]): CommandFacts {
  const [writtenPath] = paths;
  return { kind, paths, passesOn: false, ...defined({ writtenPath }) };
}

/** Returns the words of the command itself, without assignments, keywords and programs that only start it. */
export function unwrapped(words: readonly string[]): readonly string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (/^\w+=/u.test(word)) {
      at += 1;
    } else if (wrappers.has(word)) {
      at += 1;
      while (words[at]?.startsWith("-") === true) at += 1;
      if (word === "timeout" || (word === "rtk" && words[at] === "proxy")) at += 1;
    } else {
      return words.slice(at);
    }
  }
  return [];
}

/** Returns the script that a command such as `bash -lc SCRIPT` runs; undefined for other commands. */
export function innerScript(command: readonly string[]): string | undefined {
  const [name = "", ...words] = unwrapped(command);
  if (!shells.has(name.slice(name.lastIndexOf("/") + 1))) return undefined;
  const flag = words.findIndex((word) => /^-[a-z]*c$/u.test(word));
  return flag === -1 ? undefined : words[flag + 1];
}

function subcommand(words: readonly string[]): string | undefined {
  const at = words.findIndex((word, index) => !word.startsWith("-") && words[index - 1] !== "-C");
  return words[at];
}

function isPrintingSed(words: readonly string[]): boolean {
  return (
    words.some((word) => /^-[a-zA-Z]*n|^--(?:quiet|silent)$/u.test(word)) &&
    !words.some((word) => /^-[a-zA-Z]*i|^--in-place/u.test(word))
  );
}

/** Returns the files of `sed`: the words that are neither an option nor the script. */
function sedFiles(words: readonly string[]): readonly string[] {
  const operands: string[] = [];
  let hasScript = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (/^-[a-zA-Z]*[ef]$/u.test(word)) {
      hasScript = true;
      at += 1;
    } else if (!word.startsWith("-")) operands.push(word);
  }
  return (hasScript ? operands : operands.slice(1)).filter(isFileName);
}

/** Options of `head`, `tail`, `bat` and `nl` whose value is a separate word. */
const valued = /^(?:-[ncrlbsvw]|--(?:lines|bytes|line-range|language))$/u;

function fileOperands(tool: string, words: readonly string[]): readonly string[] {
  return words.filter((word, index) => {
    if (word.startsWith("-") || word.startsWith("+") || !isFileName(word)) return false;
    return tool === "cat" || !valued.test(words[index - 1] ?? "");
  });
}

/** Whether a word is certainly a file name at a place where a file name is expected. */
function isFileName(word: string): boolean {
  return word !== "" && word !== "-" && !/[$`*?\n]/u.test(word);
}

/** Whether a word looks like a path at a place where anything can be: it has a slash or a file extension. */
function isPathLike(word: string): boolean {
  if (!isFileName(word) || word.length > 400 || word.startsWith("-")) return false;
  if (/[\s"'<>|;(){}[\]\\^,=&]|:\/\//u.test(word) || isSubstitution(word)) return false;
  if (word.includes("/")) return /[^/.]/u.test(word);
  return /\.[A-Za-z][A-Za-z0-9]{0,9}$/u.test(word) && !/^v?\d+(?:\.\w+)*$/u.test(word);
}

/** Whether a word is a substitution script of `sed`, such as `s/a/b/`. */
function isSubstitution(word: string): boolean {
  return /^[sy]\/.*\/.*\/[gip\d]*$/u.test(word);
}
