/** How a command writes the names of files. `plain`: a line for each. */
export type LineForm = "plain" | "ls" | "status" | "diff" | "tree";

/** The names that one line can have, by the form of the output. */
export const lineForms: Readonly<
  Record<Exclude<LineForm, "tree">, (line: string) => readonly string[]>
> = {
  plain: (line) => [unquoted(line.replace(/^\d{6} [\da-f]{40,64} \d\t/u, ""))],
  ls: namesOfLs,
  status: (line) => renamed(statusLine.exec(line)?.[1] ?? ""),
  diff: namesOfDiff,
};

/** A line of `git status`, short or long. */
const statusLine =
  /^(?:[ MADRCUT?!]{2} |\t(?:(?:modified|new file|deleted|renamed|copied|typechange|both \w+|added by \w+|deleted by \w+):\s+)?)(\S.*)$/u;

/** The columns of `ls -l` before the name: inode and blocks, mode, links, owner and group, size, date and time. */
const longLine =
  /^ *(?:\d+ +){0,2}([-l])[-rwxsStTl]{9}[.+@]? +\d+ (?: *\S+ ){0,2} *[\d.,]+[KMGTPB]? +(?:[A-Z][a-z]{2} +\d{1,2}|\d{1,2} +[A-Z][a-z]{2}|\d{4}-\d\d-\d\d) +(?:\d{4}|\d\d:\d\d(?::\d\d(?:\.\d+)? [+-]\d{4})?) (.+)$/u;

/** A line of `ls`: with columns, or one name, or several with blanks between them. A sign for the kind can follow a name. */
function namesOfLs(line: string): readonly string[] {
  const [, kind, name] = longLine.exec(line) ?? [];
  if (name !== undefined) return withoutSign(kind === "l" ? name.replace(/ -> .*$/u, "") : name);
  if (/^(?:total [\d.]+\w?|[-dlbcps][-rwxsStTl]{9}.*|.*:)$/u.test(line)) return [];
  return [line, ...(/\t| {2}/u.test(line) ? line.split(/\t+| {2,}/u) : [])].flatMap(withoutSign);
}

function withoutSign(name: string): readonly string[] {
  return /.[*@=|]$/u.test(name) ? [name, name.slice(0, -1)] : [name];
}

/** A line of `git diff` with `--stat`, `--numstat`, `--name-status` or `--name-only`. */
function namesOfDiff(line: string): readonly string[] {
  const stat = /^ (\S.*?) +\| +(?:\d+(?: [+-]+)?|Bin .*|Unmerged)$/u.exec(line)?.[1];
  if (stat !== undefined) return stat.startsWith("...") ? [] : renamed(stat);
  const counted = /^(?:\d+|-)\t(?:\d+|-)\t(.+)$/u.exec(line)?.[1];
  if (counted !== undefined) return renamed(counted);
  const status = /^[ACDMRTUX]\d{0,3}\t(.+)$/u.exec(line)?.[1];
  if (status !== undefined) return [unquoted(status.split("\t").at(-1) ?? "")];
  // Headers and messages of commits have a colon or are indented.
  return /^\s|^commit [\da-f]+|^\w+: /u.test(line) ? [] : [unquoted(line)];
}

/** The name that a file has now, of `old -> new`, `old => new` and `folder/{old => new}/file`. */
function renamed(text: string): readonly string[] {
  const braces = /^(.*)\{.* => (.*)\}(.*)$/u.exec(text);
  if (braces !== null)
    return [`${braces[1] ?? ""}${braces[2] ?? ""}${braces[3] ?? ""}`.replaceAll("//", "/")];
  return [unquoted(text.split(/ (?:->|=>) /u).at(-1) ?? "")];
}

/** A name that `git` has written in quotation marks. One with escapes stays as it is, and names no file. */
function unquoted(name: string): string {
  return /^"[^"\\]*"$/u.test(name) ? name.slice(1, -1) : name;
}

/** The names in the output of `tree` by line, as paths from its first line. */
export function treeForm(lines: readonly string[]): readonly (readonly string[])[] {
  const folders: string[] = [];
  return lines.map((line) => {
    const found = /^((?:│[ \u00A0]{3}|[ \u00A0]{4}|\| {3})*)(?:[├└]── |[|`]-- )(.+)$/u.exec(line);
    if (found === null) return [];
    const [, before = "", name = ""] = found;
    const depth = before.length / 4;
    folders.length = Math.min(folders.length, depth);
    folders[depth] = name.replace(/[*@=|/]$/u, "").replace(/ -> .*$/u, "");
    return [name.includes("/") ? name : folders.join("/")];
  });
}
