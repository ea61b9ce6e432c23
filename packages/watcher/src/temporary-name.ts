/** Names under which editors and other writers keep a file for the moment of saving it. */
const patterns: readonly RegExp[] = [
  // Vim, Emacs, nano, Kate.
  /^4913$/u,
  /^\..+\.sw[a-z]$/u,
  /~$/u,
  /^#.+#$/u,
  /^\.#/u,
  /\.kate-swp$/u,
  // GNOME, JetBrains, Sublime, Visual Studio, Office, LibreOffice.
  /^\.goutputstream-/u,
  /___jb_(tmp|old|bak)___$/u,
  /^\.subl.*\.tmp$/u,
  /\.TMP$/u,
  /^~\$/u,
  /^\.~lock\..*#$/u,
  // Safe saves of many libraries, `sed -i`, package managers, rsync.
  /\.tmp$/u,
  /\.tmp[.-][\da-z]+$/iu,
  /^sed[\dA-Za-z]{6}$/u,
  /^\..+\.(?=\w*[\dA-Z])[\dA-Za-z]{6}$/u,
  /\.(part|crdownload)$/iu,
  /\.\d{6,}$/u,
];

/** Whether a name is one that a file has for a moment only, so that no file is said to have moved there. */
export function isTemporaryName(name: string): boolean {
  return patterns.some((pattern) => pattern.test(name));
}
