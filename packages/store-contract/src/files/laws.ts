import { FileError, type FileErrorCode } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import type { FileSourceScenario, FileSourceSupports } from "./file-place.ts";

/** The key of a law. It names the law in the doc comment of `FileSource` and names the law's test. */
export type FileSourceLaw =
  | "paths-are-absolute"
  | "absent-is-undefined"
  | "text-is-exact"
  | "facts-agree"
  | "changes-show"
  | "links-are-followed"
  | "folders-list-their-entries"
  | "refusals-have-codes";

const pathsAreAbsolute: FileSourceScenario = async (createPlace) => {
  await using place = await createPlace();
  const { files, path } = place;
  const file = `${path}/sub/a.txt`;

  const given = ["a.txt", "./a.txt", "../sub/a.txt", "b/../a.txt", file, `${path}//sub/./a.txt`];
  for (const one of given)
    assert.equal(files.resolve(one, `${path}/sub`), file, `resolve(${JSON.stringify(one)})`);
  for (const name of oddNames) {
    const odd = files.resolve(name, path);
    assert.equal(odd, `${path}/${name}`, "characters of a name are no syntax");
    assert.equal(files.resolve(odd, "/elsewhere"), odd, "a resolved path stays the same");
  }
  const home = files.resolve("~/a.txt", path);
  assert.equal(home, files.resolve("~/a.txt", "/elsewhere"), "`~` does not depend on the base");
  assert.ok(!home.includes("~"), "`~` is the home folder");
};

/** Names that a URL or a shell would read in another way. */
const oddNames = ["with space.txt", "100%.txt", "what?.txt", "#1.txt", "a%20b.txt", "é.txt", "a~b"];

const absentIsUndefined: FileSourceScenario = async (createPlace) => {
  await using place = await createPlace();
  const { files, path } = place;
  await place.write(`${path}/a.txt`, "text");
  await place.write(`${path}/gone.txt`, "text");
  await files.stat(`${path}/gone.txt`);
  await place.remove(`${path}/gone.txt`);

  for (const name of ["none.txt", "gone.txt", "a.txt/below", "a", "nowhere/a.txt"]) {
    const found = await files
      .stat(`${path}/${name}`)
      .catch((error: unknown) => assert.fail(`stat of ${name} rejects: ${String(error)}`));
    assert.equal(found, undefined, name);
  }
};

const textIsExact: FileSourceScenario = async (createPlace) => {
  await using place = await createPlace();
  const file = `${place.path}/a.txt`;

  for (const text of texts)
    for (const content of [text, Buffer.from(text)]) {
      await place.write(file, content);
      const found = await place.files.read(file);
      assert.equal(found.text, text, "the text as it was written");
      assert.equal(found.size, Buffer.byteLength(text), "the size in bytes");
    }
  for (const bytes of noTexts) {
    await place.write(file, bytes);
    const found = await place.files.read(file);
    assert.equal(found.text, null, `${bytes.toString("hex")} is not text`);
    assert.equal(found.size, bytes.byteLength, "the size in bytes");
  }
};

const texts = ["", "a\nb\r\nc\rd\u2028e\n", "\uFEFFtext", "é € 𝄞 \u{10FFFF}", "\u0001\u001B[31m"];

/** A stray byte, Latin-1, a character that is cut short, a surrogate, and NUL in a text. */
const noTexts: readonly Buffer[] = [
  Buffer.from([0x61, 0xff, 0x62]),
  Buffer.from("café", "latin1"),
  Buffer.from("€").subarray(0, 2),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from("a\0b"),
];

const factsAgree: FileSourceScenario = async (createPlace) => {
  await using place = await createPlace();
  const { files, path } = place;
  const file = `${path}/sub/a.txt`;
  await place.write(file, "text é");

  const facts = await files.stat(file);
  const { text: _, ...read } = await files.read(file);

  assert.deepEqual(facts, { ...read, kind: "file" }, "`stat` and `read` return the same facts");
  assert.equal(facts?.realPath, file);
  assert.equal((await files.stat(`${path}/sub`))?.kind, "directory");
};

const changesShow: FileSourceScenario = async (createPlace) => {
  await using place = await createPlace();
  const { files } = place;
  const file = `${place.path}/a.txt`;
  await place.write(file, "one");
  const first = await files.stat(file);
  await files.read(file);

  await place.write(file, "longer");
  const second = await files.stat(file);
  assert.equal((await files.read(file)).text, "longer", "the newest text");
  assert.notDeepEqual(second, first, "size or time of change differ");

  let third = second;
  const end = performance.now() + longestTick;
  do {
    await place.write(file, "edited");
    third = await files.stat(file);
  } while (isDeepStrictEqual(third, second) && performance.now() < end);
  assert.equal((await files.read(file)).text, "edited", "the newest text, of the same size");
  assert.notDeepEqual(third, second, "the time of change differs where the size is the same");
};

/**
 * How long a source may give two changes of a file the same time, in milliseconds. Some file systems count time in steps
 * of several milliseconds.
 */
const longestTick = 1000;

const linksAreFollowed: FileSourceScenario = async (createPlace) => {
  await using place = await createPlace();
  const { files, path } = place;
  const file = `${path}/real/a.txt`;
  await place.write(file, "text");
  assert.ok(
    place.link !== undefined,
    "a place of a source that supports links has the function `link`",
  );
  await place.link(`${path}/folder`, `${path}/real`);
  await place.link(`${path}/file`, `${path}/folder/a.txt`);

  for (const one of [`${path}/file`, `${path}/folder/a.txt`]) {
    assert.equal((await files.stat(one))?.realPath, file, "the real path");
    const found = await files.read(one);
    assert.deepEqual([found.realPath, found.text], [file, "text"]);
  }
};

const foldersListTheirEntries: FileSourceScenario = async (createPlace) => {
  await using place = await createPlace();
  const { files, path } = place;
  const names = async (folder: string): Promise<readonly string[]> =>
    (await files.list(folder)).map(({ name, kind }) => `${kind} ${name}`).toSorted();
  for (const name of ["a.txt", "é b.md", "sub/c.txt", "sub/deep/d.txt", "sub.txt"])
    await place.write(`${path}/${name}`, "text");

  assert.deepEqual(
    await names(path),
    ["directory sub", "file a.txt", "file sub.txt", "file é b.md"],
    "the files and folders directly in the folder",
  );
  assert.deepEqual(await names(`${path}/sub`), ["directory deep", "file c.txt"]);
  for (const none of [`${path}/none`, `${path}/a.txt`])
    assert.deepEqual(await names(none), [], "what is no folder has no entries");
  await place.remove(`${path}/a.txt`);
  assert.deepEqual(await names(path), ["directory sub", "file sub.txt", "file é b.md"]);
};

const refusalsHaveCodes: FileSourceScenario = async (createPlace) => {
  await using place = await createPlace();
  const { files, path } = place;
  await place.write(`${path}/sub/a.txt`, "text");

  await assertRefused(files.read(`${path}/none.txt`), "FILE_MISSING", `${path}/none.txt`);
  await assertRefused(files.read(`${path}/sub`), "FILE_IS_DIRECTORY", `${path}/sub`);
};

async function assertRefused(
  reading: Promise<unknown>,
  code: FileErrorCode,
  path: string,
): Promise<void> {
  const error = await reading.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(FileError.is(error), `read rejects with a FileError, not ${String(error)}`);
  assert.equal(error.code, code);
  assert.ok(error.message.includes(path), `the message names the path: ${error.message}`);
}

/** All laws, each with the scenario that tests it. */
export const fileSourceLaws: Readonly<Record<FileSourceLaw, FileSourceScenario>> = {
  "paths-are-absolute": pathsAreAbsolute,
  "absent-is-undefined": absentIsUndefined,
  "text-is-exact": textIsExact,
  "facts-agree": factsAgree,
  "changes-show": changesShow,
  "links-are-followed": linksAreFollowed,
  "folders-list-their-entries": foldersListTheirEntries,
  "refusals-have-codes": refusalsHaveCodes,
};

/** The laws that bind only sources with a feature. */
export const fileSourceLawNeeds: Readonly<
  Partial<Record<FileSourceLaw, keyof FileSourceSupports>>
> = { "links-are-followed": "links" };
