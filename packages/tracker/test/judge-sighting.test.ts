import {
  fileBody,
  type FileSighting,
  metadataVersion,
  missingFileBody,
  objectId,
  sealObject,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { describe, expect, it, test } from "vitest";
import { judgeSighting } from "../src/judge-sighting.ts";
import { type TrackedFile, type TrackedFiles, trackedFiles } from "../src/tracked-files.ts";

const path = "/work/a.txt";
const read = { realPath: path, size: 4, modified: 100_000.5, text: "text" };
const fresh: FileSighting = {
  state: "file",
  path,
  at: 200_000,
  node: "1:1",
  born: 90_000,
  size: 4,
  modified: 100_000.5,
  changed: 100_000.5,
};

function stored(time: number, isMissing = false): StoredMetadata {
  const body = fileBody(objectId("a"), read, "human");
  const { body: sealed, hashes } = sealObject(isMissing ? missingFileBody(body) : body);
  const at = { tx_id: 1, tx_time: new Date(time).toISOString() };
  return metadataVersion({ body: sealed, hashes, version: 1, at });
}

function tracked(time = 150_000, isMissing = false): TrackedFile {
  return put(trackedFiles(), stored(time, isMissing));
}

function put(files: TrackedFiles, version: StoredMetadata): TrackedFile {
  const file = files.put(version);
  if (file === undefined) throw new TypeError("a file is tracked");
  return file;
}

/** A tracked file whose last sighting, at this time, agrees with its stored version. */
function seen(at = fresh.at): TrackedFile {
  const files = trackedFiles();
  const file = put(files, stored(150_000));
  files.saw(file, { ...fresh, at });
  return file;
}

describe("a file without a sighting since it was stored", () => {
  it("is the same if size and time agree", () => {
    expect(judgeSighting(tracked(), fresh)).toBe("same");
    expect(judgeSighting(tracked(), { ...fresh, size: 5 })).toBe("read");
    expect(judgeSighting(tracked(), { ...fresh, modified: 100_001 })).toBe("read");
  });

  it("is read if it was stored so early that a later change can have the same time", () => {
    expect(judgeSighting(tracked(100_900), fresh)).toBe("read");
    expect(judgeSighting(tracked(101_600), fresh)).toBe("same");
  });

  it("has vanished if nothing, or something other than a file, is there", () => {
    expect(judgeSighting(tracked(), { state: "absent", path, at: 1 })).toBe("vanished");
    expect(judgeSighting(tracked(), { state: "other", path, at: 1 })).toBe("vanished");
    expect(judgeSighting(tracked(), { state: "unreadable", path, at: 1 })).toBe("unreadable");
  });
});

test("a file that agrees with its last sighting is the same", () => {
  expect(judgeSighting(seen(101_000), { ...fresh, at: 300_000 })).toBe("same");
});

describe("another node at a path", () => {
  const newcomer: FileSighting = { ...fresh, node: "1:2", at: 300_000, changed: 299_990 };

  it("is a save of the file if it was created after the last sighting of the file", () => {
    expect(judgeSighting(seen(), { ...newcomer, born: 299_900 })).toBe("read");
  });

  it("is an unrelated file if it was created before that sighting", () => {
    expect(judgeSighting(seen(), { ...newcomer, born: 199_900 })).toBe("displaced");
  });

  it("is a save if it was created before the last sighting of the file and written after it", () => {
    const written = { ...newcomer, born: 199_900 };

    expect(judgeSighting(seen(), { ...written, modified: 299_900 })).toBe("read");
    expect(judgeSighting(seen(), { ...written, modified: 199_950 })).toBe("displaced");
  });

  it("is a save if the file system reports no creation time", () => {
    const { born: _, ...unknown } = newcomer;

    expect(judgeSighting(seen(), unknown)).toBe("read");
  });

  it("is judged by durations if the file system's clock is far behind", () => {
    const behind = { ...newcomer, changed: 239_990 };

    // Created a second before its sighting, by a clock that is a minute behind: after the file was seen.
    expect(judgeSighting(seen(), { ...behind, born: 238_990 })).toBe("read");
    expect(judgeSighting(seen(), { ...behind, born: 100_000 })).toBe("displaced");
  });
});

describe("a file at the path of a missing one", () => {
  it("is the same object if it was created again", () => {
    const back = { ...fresh, node: "1:9", born: 299_000, changed: 299_990, at: 300_000 };

    expect(judgeSighting(tracked(150_000, true), back)).toBe("read");
  });

  it("is the same object if it is the file that was there", () => {
    const files = trackedFiles();
    const file = put(files, stored(150_000));
    files.saw(file, fresh);
    files.saw(file, { state: "absent", path, at: 250_000 });
    files.put(stored(250_000, true));
    const back = { ...fresh, changed: 299_990, at: 300_000 };

    expect(judgeSighting(file, back)).toBe("read");
    expect(judgeSighting(file, { ...back, node: "1:9" })).toBe("displaced");
  });

  it("is another object if it existed before the first was recorded as missing", () => {
    const old = { ...fresh, node: "1:9", born: 120_000, changed: 299_990, at: 300_000 };

    expect(judgeSighting(tracked(150_000, true), old)).toBe("displaced");
  });
});
