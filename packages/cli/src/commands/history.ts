import type { StoredMetadata } from "@self-context-manager/core";

import { type Command, jsonOption, targetNote, targetOptions } from "../command.ts";
import { findTarget } from "../find-target.ts";
import { shortTime, sizeOf } from "../format/amounts.ts";
import { jsonText, versionJson } from "../format/json.ts";
import { objectName, objectStatus } from "../format/object-name.ts";
import { right, table } from "../format/table.ts";

/** Enough digits of a hash to distinguish versions by eye. */
const hashDigits = 12;

export const historyCommand: Command = {
  name: "history",
  summary: "list an object's versions, oldest first",
  arguments: "TARGET",
  argumentCount: { least: 1, most: 1 },
  options: { ...targetOptions, ...jsonOption },
  notes: `${targetNote}\nCONTENT and OBJECT are the beginnings of the hashes of the content and of the whole version;
--as-of accepts both.`,
  async run(call) {
    await using store = await call.openStore();
    const { body } = await findTarget(store, call, call.arguments[0] ?? "");
    const versions = await store.history(body.id);
    await call.print(
      call.isSet("json") ? jsonText(versions.map(versionJson)) : asTable(versions, call.folder),
    );
  },
};

function asTable(versions: readonly StoredMetadata[], folder: string): string {
  return table(
    [right("VERSION"), "TRANSACTION", "TIME", right("SIZE"), "CONTENT", "OBJECT", "STATUS", "NAME"],
    versions.map(({ body, hashes, version, at }) => [
      String(version),
      `tx:${at.tx_id}`,
      shortTime(at.tx_time),
      sizeOf(body),
      hashes.content_hash.slice(0, hashDigits),
      hashes.object_hash.slice(0, hashDigits),
      objectStatus(body),
      objectName(body, folder),
    ]),
  );
}
