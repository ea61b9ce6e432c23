/** One command of a command line, as a shell would start it. */
export interface ShellCommand {
  /** The name and the arguments without quotes. Substitutions (`$x`, `$(…)`) stay as written. */
  readonly words: readonly string[];
  /** The files into which its output goes, except duplicated descriptors and `/dev/…`. */
  readonly outputs: readonly string[];
  /** The files from which its input comes; undefined if there are none. */
  readonly inputs?: readonly string[];
  /** The files into which only its error output goes; undefined if there are none. */
  readonly errorOutputs?: readonly string[];
  /** The text of its here-document; undefined if it has none. */
  readonly hereDocument?: string;
}

/** The commands that `|` joins. A command that only redirects has no words. */
export type ShellPipeline = readonly ShellCommand[];

interface OpenCommand {
  words: string[];
  outputs: string[];
  inputs?: string[];
  errorOutputs?: string[];
  hereDocument?: string;
}

interface PendingDocument {
  readonly command: OpenCommand;
  readonly end: string;
  readonly stripsTabs: boolean;
}

const blank = /[ \t\r]/u;
const operator = /[;&|\n()<>]/u;

/**
 * Returns the pipelines of a POSIX command line in their order.
 *
 * It reads the line but does not run it: it expands nothing, and it flattens subshells and groups. A quote or a bracket
 * that is not closed ends with the text.
 */
export function shellPipelines(line: string): readonly ShellPipeline[] {
  const pipelines: OpenCommand[][] = [];
  let pipeline: OpenCommand[] = [];
  let command: OpenCommand = { words: [], outputs: [] };
  let documents: PendingDocument[] = [];
  let at = 0;

  const endCommand = (): void => {
    const { words, outputs, inputs = [], errorOutputs = [] } = command;
    if ([words, outputs, inputs, errorOutputs].some(({ length }) => length > 0))
      pipeline.push(command);
    command = { words: [], outputs: [] };
  };
  const endPipeline = (): void => {
    endCommand();
    if (pipeline.length > 0) pipelines.push(pipeline);
    pipeline = [];
  };

  while (at < line.length) {
    const character = line.charAt(at);
    if (blank.test(character)) {
      at += 1;
    } else if (character === "\\" && line.charAt(at + 1) === "\n") {
      at += 2;
    } else if (character === "#") {
      const end = line.indexOf("\n", at);
      at = end === -1 ? line.length : end;
    } else if (character === "\n") {
      endPipeline();
      at = readDocuments(line, at + 1, documents);
      documents = [];
    } else if (character === "<" || character === ">" || startsOutput(line, at)) {
      const redirection = readRedirection(line, at);
      at = redirection.end;
      if (redirection.output !== undefined) command.outputs.push(redirection.output);
      if (redirection.input !== undefined)
        command.inputs = [...(command.inputs ?? []), redirection.input];
      if (redirection.errorOutput !== undefined)
        command.errorOutputs = [...(command.errorOutputs ?? []), redirection.errorOutput];
      if (redirection.document !== undefined) {
        documents.push({ command, ...redirection.document });
        command.hereDocument = "";
      }
    } else if (character === "|" && line.charAt(at + 1) !== "|") {
      endCommand();
      at += line.charAt(at + 1) === "&" ? 2 : 1;
    } else if (operator.test(character)) {
      endPipeline();
      at += 1;
    } else {
      const word = readWord(line, at);
      at = word.end;
      command.words.push(word.text);
    }
  }
  endPipeline();
  return pipelines;
}

/** Whether a redirection starts with the number of a descriptor or with `&`, as in `2>` and `&>`. */
function startsOutput(line: string, at: number): boolean {
  return /^(?:\d+[<>]|&>)/u.test(line.slice(at, at + 4));
}

function readRedirection(
  line: string,
  start: number,
): {
  readonly end: number;
  readonly output?: string;
  readonly input?: string;
  readonly errorOutput?: string;
  readonly document?: { readonly end: string; readonly stripsTabs: boolean };
} {
  const sign = /^(?:\d*|&)(?:<<<|<<-|<<|<>|<&|>>|>\||>&|<|>)/u.exec(line.slice(start))?.[0] ?? "<";
  let at = start + sign.length;
  // `<(…)` and `>(…)` contain separate commands, so reading continues at the parenthesis.
  if (line.charAt(at) === "(") return { end: at };
  while (blank.test(line.charAt(at))) at += 1;
  const word = readWord(line, at);
  const kind = sign.replace(/^[\d&]+/u, "");
  if (kind === "<<" || kind === "<<-") {
    return { end: word.end, document: { end: word.text, stripsTabs: kind === "<<-" } };
  }
  if (kind === "<" && word.text !== "") return { end: word.end, input: word.text };
  const writes = kind.startsWith(">") && !(kind === ">&" && /^(?:\d+|-)$/u.test(word.text));
  const isFile = word.text !== "" && !word.text.startsWith("/dev/");
  if (!writes || !isFile) return { end: word.end };
  // The file of `2>` does not get what the command writes.
  return sign.startsWith("2")
    ? { end: word.end, errorOutput: word.text }
    : { end: word.end, output: word.text };
}

/** Reads the here-documents that the line before opened. Returns the index where the next command starts. */
function readDocuments(line: string, start: number, documents: readonly PendingDocument[]): number {
  let at = start;
  for (const { command, end, stripsTabs } of documents) {
    const text: string[] = [];
    while (at < line.length) {
      const lineEnd = line.indexOf("\n", at);
      const next = lineEnd === -1 ? line.length : lineEnd;
      const raw = line.slice(at, next);
      const content = stripsTabs ? raw.replace(/^\t+/u, "") : raw;
      at = Math.min(next + 1, line.length);
      if (content.replace(/\r$/u, "") === end) break;
      text.push(content);
    }
    command.hereDocument = text.join("\n");
  }
  return at;
}

function readWord(line: string, start: number): { readonly text: string; readonly end: number } {
  let text = "";
  let at = start;
  while (at < line.length) {
    const character = line.charAt(at);
    if (blank.test(character) || operator.test(character)) break;
    if (character === "'") {
      const end = closing(line, at + 1, "'");
      text += line.slice(at + 1, end);
      at = end + 1;
    } else if (character === '"') {
      const quoted = readQuoted(line, at + 1);
      text += quoted.text;
      at = quoted.end;
    } else if (character === "`") {
      const end = closing(line, at + 1, "`") + 1;
      text += line.slice(at, end);
      at = end;
    } else if (character === "$" && /[({]/u.test(line.charAt(at + 1))) {
      const end = afterSubstitution(line, at + 1);
      text += line.slice(at, end);
      at = end;
    } else if (character === "\\") {
      if (line.charAt(at + 1) !== "\n") text += line.charAt(at + 1);
      at += 2;
    } else {
      text += character;
      at += 1;
    }
  }
  return { text, end: Math.min(at, line.length) };
}

function readQuoted(line: string, start: number): { readonly text: string; readonly end: number } {
  let text = "";
  let at = start;
  while (at < line.length && line.charAt(at) !== '"') {
    const character = line.charAt(at);
    if (character === "\\") {
      const next = line.charAt(at + 1);
      if (next !== "\n") text += '$`"\\'.includes(next) ? next : `\\${next}`;
      at += 2;
    } else if (character === "$" && line.charAt(at + 1) === "(") {
      const end = afterSubstitution(line, at + 1);
      text += line.slice(at, end);
      at = end;
    } else {
      text += character;
      at += 1;
    }
  }
  return { text, end: at + 1 };
}

/** Returns the index after the bracket that closes this one. Brackets inside quotes do not count. */
function afterSubstitution(line: string, open: number): number {
  const [opening, end] = line.charAt(open) === "(" ? ["(", ")"] : ["{", "}"];
  let depth = 0;
  for (let at = open; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "'" || character === '"') at = closing(line, at + 1, character);
    else if (character === opening) depth += 1;
    else if (character === end) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return line.length;
}

function closing(line: string, start: number, quote: string): number {
  for (let at = start; at < line.length; at += 1) {
    if (line.charAt(at) === "\\" && quote !== "'") at += 1;
    else if (line.charAt(at) === quote) return at;
  }
  return line.length;
}
