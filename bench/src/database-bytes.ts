import { DatabaseSync } from "node:sqlite";

/** The bytes of a SQLite database that another program has open, including those in its log. */
export function databaseBytes(path: string): number {
  using database = new DatabaseSync(path, { readOnly: true });
  const number = (pragma: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  return number("page_count") * number("page_size");
}
