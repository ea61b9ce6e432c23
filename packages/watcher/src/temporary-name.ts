/** Names that editors and other writers use for a file only while they save it. */
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

/** Whether a name is temporary, so that a file with this name is not reported as moved. */
export function isTemporaryName(name: string): boolean {
  return patterns.some((pattern) => pattern.test(name));
}
