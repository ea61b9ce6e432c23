import { findPackageJSON } from "node:module";

/** Returns the `package.json` of a package that is installed beside this one; undefined if it is not. */
export function installedPackage(name: string): string | undefined {
  try {
    return findPackageJSON(name, import.meta.url);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
      return undefined;
    throw error;
  }
}
