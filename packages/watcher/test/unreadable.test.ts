import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { temporaryFolder } from "./temporary-folder.ts";

/** Reads in a child process that gives up root's right to read everything, once its modules are loaded. */
const program = `
import { diskFiles } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
const files = diskFiles();
if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }
const results = [];
for (const path of process.argv.slice(1)) {
  for (const operation of ["stat", "read"]) {
    results.push(await files[operation](path).then(
      (facts) => ({ size: facts?.size }),
      ({ code, message }) => ({ code, message }),
    ));
  }
}
console.log(JSON.stringify(results));
`;

test.skipIf(process.platform === "win32")(
  "refusals-have-codes: a file and a folder that this user may not read",
  async () => {
    await using folder = await temporaryFolder();
    await chmod(folder.path, 0o755);
    const file = join(folder.path, "secret.txt");
    const below = join(folder.path, "closed", "a.txt");
    await writeFile(file, "text", { mode: 0o000 });
    await mkdir(join(folder.path, "closed"));
    await writeFile(below, "text");
    await chmod(join(folder.path, "closed"), 0o000);

    const { stdout } = await promisify(execFile)(process.execPath, [
      "--conditions=@self-context-manager/source",
      "--input-type=module",
      "--eval",
      program,
      file,
      below,
    ]);

    await chmod(join(folder.path, "closed"), 0o755);
    const refusal = (path: string): unknown => ({
      code: "FILE_UNREADABLE",
      message: `${path} may not be read by this user; change its permissions or those of its folders.`,
    });
    expect(JSON.parse(stdout)).toEqual([
      { size: 4 },
      refusal(file),
      refusal(below),
      refusal(below),
    ]);
  },
);
