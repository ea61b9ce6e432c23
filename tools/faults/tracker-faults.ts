import type { DeliberateFault } from "./deliberate-fault.ts";

/** Faults that the tests in `packages/tracker/test` must find. */
export const trackerFaults: readonly DeliberateFault[] = [
  {
    file: "next-version.ts",
    of: "return known === bytesHash;",
    becomes: "return true;",
    breaks: "A file that is not text and changes at an equal size has no new version.",
  },
  {
    file: "store-files.ts",
    of: "else if (stored.version > 1 || (await firstMadeAt(store, stored)) === undefined) added += 1;",
    becomes: "else added += 1;",
    breaks: "Two processes that store a folder at the same time leave two objects for each file.",
  },
  {
    file: "store-files.ts",
    of: "bytes + one.size > mostAtOnce.bytes",
    becomes: "false",
    breaks: "The contents of 200 large files are in memory at once.",
  },
  {
    file: "next-version.ts",
    of: 'if (isByTool && !isSame && presenceOf(latest.body) === "unread") return undefined;',
    becomes: "",
    breaks: "A text that no tool has shown is stored, if its file was named after a read of it.",
  },
  {
    file: "judge-sighting.ts",
    of: "return Math.max(born, modified) < lastHereThere - tick;",
    becomes: "return false;",
    breaks: "An unrelated file that is moved to a known path counts as an edit of the known file.",
  },
  {
    file: "file-tracker.ts",
    of: "isHeld: (path: string) => holds.has(path),",
    becomes: "isHeld: () => false,",
    breaks: "A write by the agent's own tool is stored as another's.",
  },
  {
    file: "file-tracker.ts",
    of: "known.delete(listener) && known.size === 0",
    becomes: "known.delete(listener)",
    breaks: "A session that closes ends the tracking of files that another session follows.",
  },
  {
    file: "file-tracker.ts",
    of: "if (listener === except) continue;",
    becomes: "",
    breaks: "A session gets reports of its own versions as if others had made them.",
  },
  {
    file: "next-version.ts",
    of: "if (latest.version <= readAfter) return marked(",
    becomes: "return marked(",
    breaks: "An old content of a file is stored after a newer one.",
  },
  {
    file: "tracker-parts.ts",
    of: "return needsExplicitRead(path, workspace) === undefined;",
    becomes: "return true;",
    breaks: "A changed file of secrets is read and stored.",
  },
  {
    file: "file-drafts.ts",
    of: "size > largeFile && size !== disk?.size",
    becomes: "size < 0",
    breaks: "A large log is read again whenever it grows.",
  },
  {
    file: "next-version.ts",
    of: "isByPath && body !== undefined ? identifiedByPath(body) : body;",
    becomes: "body;",
    breaks: "A version does not say that only its path shows which file it is of.",
  },
  {
    file: "next-version.ts",
    of: "const isLater = latest.version > foundAfter;",
    becomes: "const isLater = latest.version < 0;",
    breaks: "A file that another session has found again is recorded as deleted.",
  },
  {
    file: "store-drafts.ts",
    of: "writes.push({ object: sealObject(body), expect: head?.version ?? 0 });",
    becomes: "writes.push({ object: sealObject(body) });",
    breaks: "A session that indexes a file stores an old content after the newer one of another.",
  },
  {
    file: "tracked-files.ts",
    of: "return isMissing(file) ? undefined : diskState(file.stored.body);",
    becomes: "return undefined;",
    breaks: "Files that exchanged their names between two sessions exchange their histories.",
  },
  {
    file: "tracked-files.ts",
    of: "if (one.born !== undefined && one.born === other.born) return true;",
    becomes: "return true;",
    breaks: "A new file that has the node of a deleted one counts as the deleted file.",
  },
  {
    file: "find-exchanged.ts",
    of: "const kept = moves.filter(({ of }) => gone.has(of) || left.has(of));",
    becomes: "const kept = moves;",
    breaks: "A file takes over the history of the one that it was copied from.",
  },
  {
    file: "file-drafts.ts",
    of: 'if (presence === "unread" && file.isOnlyNamed) {',
    becomes: "if (Number.isNaN(file.stored.version)) {",
    breaks: "Each growth of a file that was only listed makes a version.",
  },
  {
    file: "file-drafts.ts",
    of: '(presence === "missing" && (!isReadable || file.isOnlyNamed))',
    becomes: '(presence === "missing" && !isReadable)',
    breaks: "After a branch switch, files that were only listed are read.",
  },
  {
    file: "find-moved.ts",
    of: "if (hash !== file.stored.hashes.content_hash || candidate",
    becomes: "if (candidate",
    breaks: "A deleted file counts as moved to an unrelated file of the same size.",
  },
  {
    file: "next-version.ts",
    of: "hashes.content_hash === sha256(file.text);",
    becomes: 'body["char_count"] === file.text.length;',
    breaks: "An edit that keeps the length of a file is not noticed.",
  },
];
