import { FileError, type FileErrorCode } from "@self-context-manager/objects";
import { execFile } from "node:child_process";
import { appendFile, mkdir, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { diskFiles } from "../src/disk-files.ts";
import { watchFiles } from "../src/watch-files.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const files = diskFiles();

async function refused(reading: Promise<unknown>, code: FileErrorCode): Promise<string> {
  const error = await reading.then(
    (content) => expect.fail(`it was read: ${JSON.stringify(content)}`),
    (cause: unknown) => cause,
  );
  if (!FileError.is(error)) throw error;
  expect(error.code).toBe(code);
  return error.message;
}

test("absent-is-undefined", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "file"), "");
  await symlink("nowhere", join(folder.path, "broken"));

  const names = ["none", "file/below", "broken", "nul\0", "x".repeat(300)];
  const facts = await Promise.all(names.map((name) => files.stat(join(folder.path, name))));

  expect(facts).toEqual(names.map(() => undefined));
});

test.each([
  ["nothing", ""],
  ["line ends of every kind", "a\nb\r\nc\rd\u2028e\n"],
  ["a byte order mark", "\uFEFFtext"],
  ["characters of up to four bytes", "é € 𝄞 \u{10FFFF} 👩‍👩‍👧"],
  ["controls except NUL", "\u0001\u001B[31m\u007F"],
  ["more than one read takes", "0123456789abcdef".repeat(70_000)],
])("text-is-exact: %s", async (_, text) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  await writeFile(path, text);

  const content = await files.read(path);

  expect(content.text === text).toBe(true);
  expect(content.size).toBe(Buffer.byteLength(text));
});

test.each([
  ["a stray byte", Buffer.from([0x61, 0xff, 0x62])],
  ["Latin-1", Buffer.from("café", "latin1")],
  ["UTF-16", Buffer.from("\uFEFFtext", "utf16le")],
  ["a character cut short", Buffer.from("€").subarray(0, 2)],
  ["a surrogate in UTF-8", Buffer.from([0xed, 0xa0, 0x80])],
  ["an overlong form", Buffer.from([0xc0, 0xaf])],
  ["NUL in text", Buffer.from("a\0b")],
])("text-is-exact: %s is not text, each time", async (_, bytes) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  await writeFile(path, bytes);

  const content = await files.read(path);

  expect(content).toMatchObject({ text: null, size: bytes.length });
  expect(await files.read(path)).toEqual(content);
});

test("links-are-followed", async () => {
  await using folder = await temporaryFolder();
  const real = join(folder.path, "real", "a.txt");
  await mkdir(join(folder.path, "real"));
  await writeFile(real, "text");
  await symlink("real", join(folder.path, "folder-link"));
  await symlink("folder-link/a.txt", join(folder.path, "file-link"));
  const path = join(folder.path, "file-link");

  expect(await files.stat(path)).toMatchObject({ realPath: real, kind: "file", size: 4 });
  expect(await files.read(path)).toMatchObject({ realPath: real, text: "text" });
});

test("stat and read return the same time of change", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  await writeFile(path, "text");
  await utimes(path, 1_600_000_000, 1_600_000_000);

  expect(await files.stat(path)).toHaveProperty("modified", 1_600_000_000_000);
  expect(await files.read(path)).toHaveProperty("modified", 1_600_000_000_000);
});

test("refusals-have-codes: a file that is not there", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "none.txt");

  expect(await refused(files.read(path), "FILE_MISSING")).toBe(
    `${path}: there is no such file; check the path, or list the folder.`,
  );
});

test("refusals-have-codes: a link to nothing names its target", async () => {
  await using folder = await temporaryFolder();
  await symlink("nowhere.txt", join(folder.path, "broken"));

  const message = await refused(files.read(join(folder.path, "broken")), "FILE_MISSING");

  expect(message).toContain("a link to nowhere.txt");
});

test("refusals-have-codes: a name that no file can have is shown with its control characters escaped", async () => {
  expect(await refused(files.read("/a\0\u001Bb"), "FILE_MISSING")).toContain(
    String.raw`"/a\u0000\u001bb"`,
  );
});

test("refusals-have-codes: links in a circle", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "circle");
  await symlink("circle", path);

  expect(await refused(files.read(path), "FILE_UNREADABLE")).toContain(path);
  expect(await refused(files.stat(path), "FILE_UNREADABLE")).toContain("correct the link");
});

test("refusals-have-codes: a directory", async () => {
  await using folder = await temporaryFolder();

  expect(await files.stat(folder.path)).toHaveProperty("kind", "directory");
  expect(await refused(files.read(folder.path), "FILE_IS_DIRECTORY")).toContain(
    `${folder.path} is a directory`,
  );
});

test.skipIf(process.platform === "win32")(
  "refusals-have-codes: a pipe, without waiting for a writer",
  async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "pipe");
    await promisify(execFile)("mkfifo", [path]);

    expect(await files.stat(path)).toHaveProperty("kind", "other");
    expect(await refused(files.read(path), "FILE_NOT_REGULAR")).toContain(path);
  },
);

test.skipIf(process.platform === "win32")(
  "refusals-have-codes: a socket and a device",
  async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "socket");
    await using server = createServer();
    await new Promise<void>((listening) => server.listen(path, listening));

    expect(await refused(files.read(path), "FILE_NOT_REGULAR")).toContain(path);
    expect(await refused(files.read("/dev/zero"), "FILE_NOT_REGULAR")).toBe(
      "/dev/zero is a pipe, socket or device, not a regular file; read it with a command that can end by itself.",
    );
  },
);

test("refusals-have-codes: exactly the files with more than maxBytes", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "large");
  const small = diskFiles({ maxBytes: 10_000 });
  await writeFile(path, "x".repeat(10_000));

  expect(await small.read(path)).toHaveProperty("size", 10_000);
  await appendFile(path, "x");
  const message = await refused(small.read(path), "FILE_TOO_LARGE");
  expect(message).toContain(path);
  expect(message).toContain("10000 bytes");
});

test("refusals-have-codes: a file of several gigabytes is refused by its size, without reading", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "sparse");
  await writeFile(path, "");
  await truncate(path, 8 * 1024 ** 3);

  expect(await refused(files.read(path), "FILE_TOO_LARGE")).toContain("67108864 bytes");
});

test.runIf(process.platform === "linux")(
  "a file that claims to be empty is read to its end",
  async () => {
    const content = await files.read("/proc/self/status");

    expect(content.text).toContain("Pid:");
    expect(content.size).toBe(Buffer.byteLength(content.text ?? ""));
    await refused(diskFiles({ maxBytes: 10 }).read("/proc/self/status"), "FILE_TOO_LARGE");
  },
);

test.each([0, -1, 1.5, Number.NaN, 2 ** 31])("maxBytes %s is refused", (maxBytes) => {
  expect(() => diskFiles({ maxBytes })).toThrow(RangeError);
});

test("identity-is-the-watchers", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  await writeFile(path, "text");
  await using watcher = watchFiles();

  const [seen] = await watcher.look([path]);

  if (seen?.state !== "file") throw new Error("the file is not seen");
  const { node, born, modified } = seen;
  expect(await files.stat(path)).toMatchObject({ node, born, modified });
  expect(await files.read(path)).toMatchObject({ node, born, modified });
});
