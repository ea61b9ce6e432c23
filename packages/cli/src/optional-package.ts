import { CliError } from "./cli-errors.ts";

/** Loads a package of this repository that is installed only by those who need it. `needs`: the command that does. */
export async function optionalPackage<Package>(
  name: string,
  needs: string,
  load: () => Promise<Package>,
): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    const isMissing =
      cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw cause;
    const full = `@self-context-manager/${name}`;
    throw new CliError(
      `${needs} needs the package ${full}, which is not installed; install it beside the command: npm install --global ${full}`,
      { cause },
    );
  }
}
