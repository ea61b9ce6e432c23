/** Folders whose contents are written by tools and not edited by people. No file in them is looked for. */
export const passedOverFolders: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  ".venv",
  "__pycache__",
]);
