import {
  allItems,
  collectReferences,
  metadataOf,
  type Reference,
  type Referrer,
} from "@self-context-manager/objects";
import type { ObjectStore, StoredMetadata } from "@self-context-manager/core";

import {
  type Command,
  type CommandCall,
  jsonOption,
  targetNote,
  targetOptions,
  versionNote,
  versionOption,
  workspaceOption,
} from "../command.ts";
import { jsonText, versionJson } from "../format/json.ts";
import { objectName } from "../format/object-name.ts";
import { fields } from "../format/table.ts";
import { linkParts } from "../followed-links.ts";
import { storedVersionOf } from "../stored-version-of.ts";
import { bothDirections, linksJson, linksText } from "./links.ts";

/** The number of references that are printed in each direction; JSON contains all. */
const mostReferences = 20;

/** The number of references to the object that are read: each is read from its holder, and a chat can have thousands. */
const mostRead = 100;

export const showCommand: Command = {
  name: "show",
  summary: "show an object's metadata, hashes, versions, references and links",
  arguments: "TARGET",
  argumentCount: { least: 1, most: 1 },
  options: { ...versionOption, ...targetOptions, ...workspaceOption, ...jsonOption },
  notes: `${targetNote}\n${versionNote}\nReferences out are those of the shown version; references in are those of the latest versions.
Links out are those of the shown note, links in those of all notes; scm links shows all of them.`,
  async run(call) {
    await using store = await call.openStore();
    const stored = await storedVersionOf(store, call);
    const metadata: StoredMetadata = { ...stored, body: metadataOf(stored.body) };
    const { id } = metadata.body;
    const [head] = await store.describe([id]);
    const latest = head?.version ?? stored.version;
    const out = collectReferences(stored.body);
    const into = call.isSet("json")
      ? { items: await allItems(async (place) => await store.referrers(id, place)) }
      : await store.referrers(id, { limit: mostRead });
    const links = await bothDirections(stored, await linkParts(store, call, "few"));
    if (call.isSet("json")) {
      await call.print(
        jsonText({
          ...versionJson(metadata),
          latest_version: latest,
          references_out: out,
          references_in: into.items,
          ...linksJson(links),
        }),
      );
      return;
    }
    await call.print(
      [
        fields([
          ["id", id],
          ["name", objectName(metadata.body, call.folder)],
          ["version", `${stored.version} of ${latest}`],
          ["transaction", `tx:${stored.at.tx_id} at ${stored.at.tx_time}`],
          ...Object.entries(metadata.body)
            .filter(([field]) => field !== "id")
            .map(([field, value]) => [field, plain(value)] as const),
          ...Object.entries(stored.hashes).map(([field, hash]) => [field, plain(hash)] as const),
        ]),
        "\n",
        section(
          "References out",
          out.map(({ path, reference }) => [path, `→ ${referenceText(reference)}`]),
        ),
        "\n",
        section("References in", await incoming(store, into.items, call), into.next !== undefined),
        "\n",
        linksText(links, call.folder, mostReferences),
      ].join(""),
    );
  },
};

async function incoming(
  store: ObjectStore,
  referrers: readonly Referrer[],
  call: CommandCall,
): Promise<readonly (readonly [string, string])[]> {
  const described = await store.describe(referrers.slice(0, mostReferences).map(({ id }) => id));
  return referrers.map(({ id, path, reference }, index) => {
    const body = described[index]?.body;
    const name = body === undefined ? "" : `  ${body.type} ${objectName(body, call.folder)}`;
    return [`${id} ${path}`, `${referenceText(reference, false)}${name}`];
  });
}

function section(
  title: string,
  entries: readonly (readonly [string, string])[],
  isMore = false,
): string {
  if (entries.length === 0) return `${title}: none\n`;
  const lines = fields(entries.slice(0, mostReferences)).replaceAll(/^/gmu, "  ").trimEnd();
  const more = entries.length - mostReferences;
  const others = isMore ? "more" : `${more} more`;
  return `${title}: ${isMore ? "more than " : ""}${entries.length}\n${lines}\n${more > 0 ? `  and ${others}; --json shows all\n` : ""}`;
}

function referenceText(reference: Reference, withId = true): string {
  const version = reference.ref === "static" ? `tx:${reference.tx_id}` : "latest";
  const field = reference.field === undefined ? "" : ` field ${reference.field}`;
  return `${withId ? `${reference.id} ` : ""}${version}${field}`;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
