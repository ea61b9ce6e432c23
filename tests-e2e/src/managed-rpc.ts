import { adapterFolder, pooled } from "./managed-run.ts";
import { managedFiles } from "./managed-script.ts";
import { openPiRpc, type PiRpc } from "./pi-rpc.ts";
import type { PiVersion } from "./pi-versions.ts";
import { openPiWorkspace, type PiWorkspace, type PiWorkspaceOptions } from "./pi-workspace.ts";

export interface ManagedRpc extends PiRpc {
  readonly workspace: PiWorkspace;
}

/** Opens Pi in RPC mode with the built extension, in a separate workspace with the files of the managed session. */
export async function openManagedRpc({
  pi,
  ...options
}: PiWorkspaceOptions & { readonly pi: PiVersion }): Promise<ManagedRpc> {
  await using stack = new AsyncDisposableStack();
  const workspace = stack.use(await openPiWorkspace({ files: managedFiles, ...options }));
  const extensions = [adapterFolder];
  const rpc = stack.use(await openPiRpc({ pi, workspace, extensions, environment: pooled }));
  const opened = stack.move();
  return {
    ...rpc,
    workspace,
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}
