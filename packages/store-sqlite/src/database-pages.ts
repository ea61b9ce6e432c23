import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The pages of a database file with its log, read without SQLite, so that damage of one page hides no other. */
export interface DatabasePages extends Disposable {
  /** The number of the last page. The first page is 1. */
  readonly last: number;
  /** Returns a page, from the log if the log has it; undefined if the file ends before it. */
  page(number: number): Uint8Array | undefined;
}

/** Bytes of a page if the beginning of the file does not say it: those of a file that this package makes. */
const usualBytes = 1_024;

const logHeader = 32;
const frameHeader = 24;

/** Opens the pages of a database file. No other connection of this process may have the file open. */
export function openPages(path: string): DatabasePages {
  const file = openSync(path, "r");
  const log = openLog(`${path}-wal`);
  const bytes = pageBytes(file, log);
  const inLog = log === undefined ? new Map<number, number>() : framesOf(log, bytes);
  const inFile = Math.floor(fstatSync(file).size / bytes);
  return {
    last: Math.max(inFile, ...inLog.keys()),
    page(number) {
      const frame = inLog.get(number);
      if (frame !== undefined && log !== undefined) return bytesAt(log, frame, bytes);
      return bytesAt(file, (number - 1) * bytes, bytes);
    },
    [Symbol.dispose]() {
      closeSync(file);
      if (log !== undefined) closeSync(log);
    },
  };
}

function openLog(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch {
    // A store that was closed has no log.
    return undefined;
  }
}

function pageBytes(file: number, log: number | undefined): number {
  const header = bytesAt(file, 0, 18);
  // 65,536 does not fit into two bytes, and is written as 1.
  const inFile = header === undefined ? 0 : view(header).getUint16(16);
  const logged = log === undefined ? undefined : bytesAt(log, 0, logHeader);
  const inLog = logged === undefined ? 0 : view(logged).getUint32(8);
  return [inLog, inFile === 1 ? 65_536 : inFile].find(isPageSize) ?? usualBytes;
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;
}

/** Returns the place of the latest committed form of each page in the log. */
function framesOf(log: number, bytes: number): Map<number, number> {
  const committed = new Map<number, number>();
  const header = bytesAt(log, 0, logHeader);
  if (header === undefined) return committed;
  const salt = view(header).getBigUint64(16);
  let open = new Map<number, number>();
  for (let at = logHeader; ; at += frameHeader + bytes) {
    const frame = bytesAt(log, at, frameHeader);
    // The rest of the log is of an earlier use.
    if (frame === undefined || view(frame).getBigUint64(8) !== salt) return committed;
    open.set(view(frame).getUint32(0), at + frameHeader);
    // Only the last frame of a transaction has the size of the database.
    if (view(frame).getUint32(4) === 0) continue;
    for (const [page, place] of open) committed.set(page, place);
    open = new Map();
  }
}

function bytesAt(file: number, position: number, length: number): Uint8Array | undefined {
  const bytes = new Uint8Array(length);
  return readSync(file, bytes, 0, length, position) === length ? bytes : undefined;
}

export function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
