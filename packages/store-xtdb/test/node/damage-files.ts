import { cp, open, readdir, rm, stat } from "node:fs/promises";
import { join, relative } from "node:path";

/** A place in the files of a node that was damaged. Disposal puts all files back as they were before. */
export interface DamagedFile extends AsyncDisposable {
  /** The path below the data folder, with the kind of damage. */
  readonly text: string;
}

/** Bytes that are zeroed together: a sector of a disk. */
const sectorBytes = 512;

/**
 * Damages the database or the index of a stopped node at one place of its bytes: mostly a flipped bit, sometimes a sector of
 * zeros. For some places of the database the index is removed too, so that the next start makes it from damaged data.
 */
export async function damageFiles(dataFolder: string, random: () => number): Promise<DamagedFile> {
  const sound = `${dataFolder}.sound`;
  await cp(dataFolder, sound, { recursive: true });
  const text = await damageOne(dataFolder, random);
  return {
    text,
    async [Symbol.asyncDispose]() {
      await rm(dataFolder, { recursive: true, force: true });
      await cp(sound, dataFolder, { recursive: true });
      await rm(sound, { recursive: true });
    },
  };
}

async function damageOne(dataFolder: string, random: () => number): Promise<string> {
  const isDatabase = random() < 0.5;
  const files = await filesOf(dataFolder, isDatabase ? /^golden\.db/u : /^index\//u);
  let place = Math.floor(random() * files.reduce((sum, { size }) => sum + size, 0));
  const chosen = files.find(({ size }) => {
    if (place < size) return true;
    place -= size;
    return false;
  });
  if (chosen === undefined) throw new Error(`${dataFolder} has no data`);
  const damage = await damageFile(chosen, place, random);
  const isRemoved = isDatabase && random() < 0.4;
  if (isRemoved) await rm(join(dataFolder, "index"), { recursive: true, force: true });
  const name = relative(dataFolder, chosen.path);
  return `${damage} at ${place} of ${name} (${chosen.size} bytes)${isRemoved ? ", without index" : ""}`;
}

async function damageFile(
  { path, size }: FoundFile,
  place: number,
  random: () => number,
): Promise<string> {
  await using file = await open(path, "r+");
  if (random() < 0.25) {
    const length = Math.min(sectorBytes, size - place);
    await file.write(Buffer.alloc(length), 0, length, place);
    return `${length} bytes of zeros`;
  }
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, place);
  byte.writeUInt8(byte.readUInt8() ^ (1 << Math.floor(random() * 8)));
  await file.write(byte, 0, 1, place);
  return "a flipped bit";
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
}

/** Returns the files in a data folder whose names match, in order of their names. */
async function filesOf(dataFolder: string, names: RegExp): Promise<readonly FoundFile[]> {
  const files: FoundFile[] = [];
  for (const name of (await readdir(dataFolder, { recursive: true })).sort()) {
    const path = join(dataFolder, name);
    const facts = await stat(path);
    if (names.test(name) && facts.isFile()) files.push({ path, size: facts.size });
  }
  return files;
}
