/** Common names of files that contain secrets. */
const secretName =
  /^(\.env(\..+)?|\.npmrc|\.netrc|\.pgpass|\.htpasswd|credentials(\..+)?|secrets?(\..+)?|id_(rsa|dsa|ecdsa|ed25519)|.+\.(pem|key|p12|pfx|keystore|jks))$/iu;

const secretFolder = /(^|[/\\])(\.ssh|\.aws|\.gnupg|\.kube)([/\\]|$)/iu;

/**
 * Returns the reason why a file is read only when a `read` names its path, or undefined if any tool can read it. The
 * reason is a real path outside the workspace, or a name that suggests secrets (decision D40).
 */
export function needsExplicitRead(realPath: string, realWorkspace: string): string | undefined {
  if (!isInside(realPath, realWorkspace)) return "it lies outside the workspace";
  const name = realPath.split(/[/\\]/u).at(-1) ?? "";
  if (secretName.test(name) || secretFolder.test(realPath)) return "its name looks like a secret's";
  return undefined;
}

/** Whether a path is the folder or lies in it. Both are absolute and real. */
export function isInside(path: string, folder: string): boolean {
  if (path === folder) return true;
  const base = /[/\\]$/u.test(folder) ? folder : `${folder}${folder.includes("\\") ? "\\" : "/"}`;
  return path.startsWith(base);
}
