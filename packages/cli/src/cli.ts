import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const usage = `Usage: scm [options]

Looks into a self-context-manager store.

Options:
  -h, --help     print this text
  --version      print the version
`;

/** Where a run of the command prints. */
export interface CliOutput {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Runs the command and answers its exit code: 0, or 2 for arguments it does not understand. */
export function runCli(argv: readonly string[], output: CliOutput): number {
  let options;
  try {
    options = parseArgs({
      args: [...argv],
      options: { help: { type: "boolean", short: "h" }, version: { type: "boolean" } },
    }).values;
  } catch (error) {
    // parseArgs throws for unknown options; its message names them and is meant for the user.
    output.stderr(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (options.version) {
    output.stdout(`${version()}\n`);
    return 0;
  }
  if (options.help) {
    output.stdout(usage);
    return 0;
  }
  output.stderr(usage);
  return 2;
}

function version(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  if (typeof manifest === "object" && manifest !== null && "version" in manifest)
    return String(manifest.version);
  throw new TypeError("package.json of the command has no version");
}
