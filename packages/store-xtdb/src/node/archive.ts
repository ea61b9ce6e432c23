import { randomUUID } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Artefacts } from "./artefacts.ts";
import { dataFolderOf } from "./data-folder.ts";
import { startJvm, untilListening } from "./jvm.ts";
import { nodeConfig } from "./node-config.ts";
import { endProcess } from "./processes.ts";
import type { NodeAccess } from "./run-file.ts";
import { writeToken } from "./token.ts";

const archiveMilliseconds = 120_000;

/**
 * Makes the archive of classes (AppCDS) by a run of the node that receives each kind of request once. Without the archive
 * the node starts too, but takes twice as long. A failure is therefore ignored, and there is one attempt only.
 */
export async function trainArchive(
  artefacts: Artefacts,
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  const training = await mkdtemp(join(folder, "training-"));
  const data = dataFolderOf(training);
  const instance = randomUUID();
  const archiveTo = join(folder, "classes.jsa.partial");
  try {
    await writeToken(data, undefined);
    await writeFile(
      data.config,
      nodeConfig({
        storage: { kind: "sqlite" },
        database: data.database,
        indexFolder: data.index,
        plainTxLog: false,
        port: 0,
        instance,
        runFile: data.runFile,
        tokenFile: data.token,
        presenceFolder: data.clients,
        linger: 120_000,
        allowEvict: false,
      }),
    );
    const jvm = await startJvm(artefacts, data, { memory: {}, quick: false, archiveTo });
    try {
      await exercise(await untilListening(jvm, data, instance, signal));
    } finally {
      // Java writes the archive while it ends, which takes additional time.
      if (jvm.process.pid !== undefined) await endProcess(jvm.process.pid, archiveMilliseconds);
    }
    await rename(archiveTo, join(folder, "classes.jsa"));
  } catch {
    // A node without an archive only starts more slowly.
    signal?.throwIfAborted();
  } finally {
    await rm(training, { recursive: true, force: true });
  }
  await writeFile(join(folder, "trained"), "");
}

async function exercise({ url, token }: NodeAccess): Promise<void> {
  const authorization = `Bearer ${token}`;
  const post = async (route: string, type: string, body: string): Promise<void> => {
    const response = await fetch(`${url}/_xtdb/${route}`, {
      method: "POST",
      headers: { authorization, "content-type": type, accept: "application/transit+json" },
      body,
    });
    await response.text();
  };
  const get = async (route: string, accept: string): Promise<void> => {
    const response = await fetch(`${url}/_xtdb/${route}`, { headers: { authorization, accept } });
    await response.text();
  };
  const document = `{"xt/id":"a","n":1,"refs":["b"]}`;
  await post(
    "submit-tx",
    "application/json",
    `{"tx-ops":[["match","a",null],["put",${document}]]}`,
  );
  await get("sync", "application/json");
  await post(
    "submit-tx",
    "application/json",
    `{"tx-ops":[["match","a",${document}],["delete","a"]]}`,
  );
  await get("sync", "application/json");
  for (const accept of ["application/transit+json", "application/json", "application/edn"]) {
    await get("status", accept);
    await get("entity?eid=a", accept);
    await get("entity?eid=a&history=true&sortOrder=asc&withCorrections=true&withDocs=true", accept);
    await get("tx-log?with-ops?=true", accept);
  }
  await post(
    "query",
    "application/edn",
    `{:query {:find [e (pull e [*])] :in [r] :where [[e :refs r] [e :n n] [(>= n 0)]] :order-by [[e :asc]] :limit 1} :in-args ["b"]}`,
  );
}
