import { innerScript, unwrapped } from "./call-kind.ts";
import { lineForms, treeForm, type LineForm } from "./listing-lines.ts";
import { type ShellCommand, type ShellPipeline, shellPipelines } from "./shell-commands.ts";

/** A name in the output of a command, with the folders that it can be relative to, nearest first. */
export interface ListedName {
  readonly name: string;
  readonly bases: readonly string[];
}

/** Where a command line runs. `resolve` returns the absolute path of one that is written relative to `base`. */
export interface RunPlace {
  readonly folder: string;
  readonly resolve: (path: string, base: string) => string;
}

/** A command whose output is names of files. */
interface Listing {
  readonly form: LineForm;
  readonly bases: readonly string[];
  /** The folder of the command, to which the folders that its output names are relative. */
  readonly folder: string;
}

/**
 * Returns the names in the output of a command line, each once, if commands of it list names of files: `ls`, `find`,
 * `fd`, `tree`, `rg -l`, `grep -l`, `git ls-files`, `git status`, and `git diff`, `git show` and `git log` with
 * `--stat`, `--name-only` and the like. Lines of other commands can be among them, so a name counts only if there is such a file.
 */
export function listedNames(
  commandLine: string,
  output: string,
  place: RunPlace,
): readonly ListedName[] {
  const listings = listingsOf(commandLine, place, 0).listings;
  const found = new Map<string, ListedName>();
  const lines = output
    .split("\n", mostLines)
    .map((line) => (line.length > longestLine ? "" : line.replace(/\r$/u, "")));
  for (const listing of listings) {
    let { bases } = listing;
    const read = listing.form === "tree" ? treeForm(lines) : undefined;
    for (const [index, line] of lines.entries()) {
      const header = listing.form === "ls" ? /^(.+):$/u.exec(line)?.[1] : undefined;
      if (header !== undefined) bases = [place.resolve(header, listing.folder), ...listing.bases];
      const names = read?.[index] ?? (listing.form === "tree" ? [] : lineForms[listing.form](line));
      for (const name of names) {
        if (!isName(name)) continue;
        const key = `${bases[0] ?? ""}\n${name}`;
        if (!found.has(key)) found.set(key, { name, bases });
      }
    }
  }
  return [...found.values()];
}

/** The lines at the beginning of an output in which names are looked for. */
const mostLines = 1_000;

/** Longer lines have no name that is looked for. */
const longestLine = 1_024;

function isName(name: string): boolean {
  return name !== "" && !/[/\\]$/u.test(name);
}

interface RunListings {
  readonly listings: readonly Listing[];
  /** The folder in which the line ends. */
  readonly folder: string;
}

function listingsOf(line: string, place: RunPlace, depth: number): RunListings {
  const listings: Listing[] = [];
  let { folder } = place;
  for (const pipeline of shellPipelines(line)) {
    const here = { ...place, folder };
    const [name = "", first] = unwrapped(pipeline[0]?.words ?? []);
    if (pipeline.length === 1 && (name === "cd" || name === "pushd")) {
      if (first !== undefined && first !== "-") folder = place.resolve(first, folder);
      continue;
    }
    const script = pipeline[0] === undefined ? undefined : innerScript(pipeline[0].words);
    if (script !== undefined && depth < 3) {
      if (pipeline.slice(1).every(isFilter))
        listings.push(...listingsOf(script, here, depth + 1).listings);
      continue;
    }
    const listing = listingOf(pipeline, here);
    if (listing !== undefined) listings.push(listing);
  }
  return { listings, folder };
}

/** Commands that pass on some of the lines that they get. */
const filters = new Set(["head", "tail", "sort", "uniq", "grep", "egrep", "fgrep", "rg", "cat"]);

function isFilter({ words, outputs }: ShellCommand): boolean {
  const [name = "", ...rest] = unwrapped(words);
  return outputs.length === 0 && filters.has(name) && !rest.some((word) => /^-\w*c$/u.test(word));
}

/** Returns the listing of a pipeline: its last command that is not a filter lists names. */
function listingOf(pipeline: ShellPipeline, place: RunPlace): Listing | undefined {
  let last = pipeline.length - 1;
  for (; last >= 0; last -= 1) {
    const command = pipeline[last];
    if (command === undefined || command.outputs.length > 0) return undefined;
    const listing = commandListing(words(command.words), place);
    if (listing !== undefined) return listing;
    if (!isFilter(command)) return undefined;
  }
  return undefined;
}

/** The words of a command, of one that `xargs` runs too. */
function words(all: readonly string[]): readonly string[] {
  const own = unwrapped(all);
  if (own[0] !== "xargs") return own;
  let at = 1;
  while (own[at]?.startsWith("-") === true) at += /^-[nIPLds]$/u.test(own[at] ?? "") ? 2 : 1;
  return unwrapped(own.slice(at));
}

function commandListing(
  [name = "", ...rest]: readonly string[],
  place: RunPlace,
): Listing | undefined {
  const { folder, resolve } = place;
  const tool = name.slice(name.lastIndexOf("/") + 1);
  const operands = rest.filter((word) => !word.startsWith("-"));
  const here = { bases: [folder], folder };
  switch (tool) {
    case "ls":
      return {
        ...here,
        form: "ls",
        // For several operands, a line before the names of each folder names it.
        bases: [
          ...operands.slice(0, operands.length === 1 ? 1 : 0).map((one) => resolve(one, folder)),
          folder,
        ],
      };
    case "tree":
      return { ...here, form: "tree", bases: [resolve(operands[0] ?? ".", folder), folder] };
    case "find":
      return rest.some((word) => otherOutput.test(word)) ? undefined : { ...here, form: "plain" };
    case "fd":
    case "fdfind":
      return rest.some((word) => /^(?:-[xX]|--exec.*)$/u.test(word))
        ? undefined
        : { ...here, form: "plain" };
    case "rg":
    case "grep":
    case "egrep":
    case "fgrep":
      return rest.some(isNamesOnly) ? { ...here, form: "plain" } : undefined;
    case "git":
      return gitListing(rest, place);
    default:
      return undefined;
  }
}

/** Options of `find` with which it does something else than to print names. */
const otherOutput = /^-(?:delete|exec.*|ok.*|printf|print0|ls|fprint.*|fls)$/u;

/** Whether an option of a search makes it print the names of files only. Other letters before `l` have no value. */
function isNamesOnly(word: string): boolean {
  return (
    /^-[abEFhHiInopPrRsUvwxz]*[lL][a-zA-Z]*$/u.test(word) ||
    /^--(?:files|files-with(?:out)?-match(?:es)?|name-only)$/u.test(word)
  );
}

function gitListing(words: readonly string[], { folder, resolve }: RunPlace): Listing | undefined {
  let at = 0;
  let place = folder;
  while (words[at]?.startsWith("-") === true) {
    if (words[at] === "-C") place = resolve(words[at + 1] ?? ".", place);
    at += words[at] === "-C" || words[at] === "-c" ? 2 : 1;
  }
  const [subcommand = "", ...rest] = words.slice(at);
  const found = { bases: [place], folder: place };
  switch (subcommand) {
    case "status":
      return { ...found, form: "status" };
    case "ls-files":
      return { ...found, form: "plain" };
    case "grep":
      return rest.some(isNamesOnly) ? { ...found, form: "plain" } : undefined;
    case "diff":
    case "show":
    case "log":
      return rest.some((word) => summaries.test(word)) ? { ...found, form: "diff" } : undefined;
    default:
      return undefined;
  }
}

const summaries = /^--(?:stat(?:=.*)?|name-only|name-status|numstat|compact-summary)$/u;
