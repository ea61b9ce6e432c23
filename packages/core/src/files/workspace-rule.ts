/** Names that files with secrets commonly have. */
const secretName =
  /^(\.env(\..+)?|\.npmrc|\.netrc|\.pgpass|\.htpasswd|credentials(\..+)?|secrets?(\..+)?|id_(rsa|dsa|ecdsa|ed25519)|.+\.(pem|key|p12|pfx|keystore|jks))$/iu;

const secretFolder = /(^|[/\\])(\.ssh|\.aws|\.gnupg|\.kube)([/\\]|$)/iu;

/**
 * Why a file must not be read unless its path is named in a `read`, or undefined where it may (decision D40): it lies
 * outside the workspace by its real path, or looks as if it held secrets.
 */
export function needsExplicitRead(realPath: string, realWorkspace: string): string | undefined {
  if (!isInside(realPath, realWorkspace)) return "it lies outside the workspace";
  const name = realPath.split(/[/\\]/u).at(-1) ?? "";
  if (secretName.test(name) || secretFolder.test(realPath)) return "its name looks like a secret's";
  return undefined;
}

/** Whether a path is a folder or lies in it; both are absolute and real. */
export function isInside(path: string, folder: string): boolean {
  if (path === folder) return true;
  const base = /[/\\]$/u.test(folder) ? folder : `${folder}${folder.includes("\\") ? "\\" : "/"}`;
  return path.startsWith(base);
}
