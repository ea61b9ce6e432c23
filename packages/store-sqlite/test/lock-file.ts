import { DatabaseSync } from "node:sqlite";

/** Takes a lock of a store's file as another process would, until the returned function is called. */
export function lockFile(path: string, kind: "IMMEDIATE" | "EXCLUSIVE"): () => void {
  const other = new DatabaseSync(path);
  other.exec(`BEGIN ${kind}`);
  return () => {
    if (!other.isOpen) return;
    other.exec("ROLLBACK");
    other.close();
  };
}
