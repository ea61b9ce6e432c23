import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";

import { prepareNode } from "../../src/node/index.ts";
import { runProgram } from "../../src/node/run-program.ts";

/**
 * Returns all that the files in the data folder of a node hold, as text: their bytes, as they are and as XTDB changes them
 * in keys; the rows of the database and the entries of each file of the index, decompressed and decoded; and what is
 * unpacked of the packed texts among these.
 */
export async function storedTexts(dataFolder: string): Promise<string> {
  const entries = await decoded(dataFolder);
  const texts = [entries];
  for (const [, bytes = ""] of entries.matchAll(/^bytes (.*)$/gmu)) {
    const entry = Buffer.from(bytes, "base64");
    texts.push(entry.toString("latin1"), keysIn(entry));
  }
  for (const entry of await readdir(dataFolder, { recursive: true, withFileTypes: true })) {
    // The folder `tmp` has libraries that Java unpacks.
    if (!entry.isFile() || entry.parentPath.startsWith(join(dataFolder, "tmp"))) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.of());
    texts.push(bytes.toString("latin1"), keysIn(bytes));
  }
  const all = texts.join("\n");
  const packed = all.matchAll(/[A-Za-z0-9+/]{12,}={0,2}/gu);
  return [all, ...Array.from(packed, ([text]) => unpacked(text))].join("\n");
}

/** Returns the bytes of texts in keys of XTDB's index, where each is greater by 2. */
function keysIn(bytes: Buffer): string {
  return Buffer.from(bytes.map((byte) => (byte + 254) % 256)).toString("latin1");
}

function unpacked(packed: string): string {
  try {
    return inflateRawSync(Buffer.from(packed, "base64")).toString();
  } catch {
    // It only looks like a packed text.
    return "";
  }
}

async function decoded(dataFolder: string): Promise<string> {
  const { java, classPath } = await prepareNode();
  const program = fileURLToPath(new URL("stored_texts.clj", import.meta.url));
  const options = [
    "-XX:TieredStopAtLevel=1",
    "-Dfile.encoding=UTF-8",
    "-cp",
    classPath,
    "clojure.main",
    program,
    dataFolder,
  ];
  const outcome = await runProgram(java.command, options);
  if (outcome?.code !== 0) throw new Error(`${outcome?.stdout}${outcome?.stderr}`);
  return outcome.stdout;
}
