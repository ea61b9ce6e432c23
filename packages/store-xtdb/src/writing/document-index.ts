import {
  compareText,
  type IndexedLink,
  type IndexedNames,
  type IndexedObject,
  type IndexEntry,
  type JsonValue,
  type ObjectId,
  readChangesPosition,
} from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { Document, JsonDocument, NodeClient, Operation } from "../client/node-client.ts";
import { pulled } from "../client/pull-documents.ts";
import type { Memory } from "../reading/memory.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { RewriteNoticed } from "../client/xtdb-errors.ts";
import { giveWay } from "./transactions.ts";

/** The operations of the document index on a node. */
export interface DocumentQueries {
  position(parser: string, budget: CallBudget): Promise<string | undefined>;
  keep(
    parser: string,
    entries: readonly IndexEntry[],
    position: string,
    budget: CallBudget,
  ): Promise<void>;
  entries(
    parser: string,
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<readonly (IndexedObject | undefined)[]>;
  named(
    parser: string,
    keys: readonly string[],
    budget: CallBudget,
  ): Promise<readonly IndexedNames[]>;
  linking(
    parser: string,
    keys: readonly string[],
    budget: CallBudget,
  ): Promise<readonly IndexedLink[]>;
  tagged(parser: string, tag: string, budget: CallBudget): Promise<readonly ObjectId[]>;
  tags(
    parser: string,
    budget: CallBudget,
  ): Promise<readonly { readonly tag: string; readonly objects: number }[]>;
  links(
    parser: string,
    after: string,
    limit: number,
    budget: CallBudget,
  ): Promise<readonly IndexedLink[]>;
}

export interface DocumentQueriesParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly memory: Memory;
}

export function documentQueries(parts: DocumentQueriesParts): DocumentQueries {
  const { client, names, memory } = parts;
  const index = names.index;
  const keepOnce = entryKeeper(parts, entries);
  const current = (parser: string): string => parserAt(parser, memory.rewrites.generation);
  /** Limits a query to the entries of the parser `p`, if the index has the entries of this parser: `s` is the state. */
  const parserIs = `[s :${index.attribute("parser")} p] [d :${index.attribute("parser")} p]`;

  /** Returns the documents of a parser that meet a condition on `k`. */
  async function documentsWith(
    condition: string,
    keys: readonly JsonValue[],
    parser: string,
    budget: CallBudget,
  ): Promise<readonly Document[]> {
    if (keys.length === 0) return [];
    const rows = await client.query(
      `{:find [d (pull d [*])] :in [[k ...] p s] :where [${condition} ${parserIs}]}`,
      [keys, current(parser), index.stateId],
      budget,
    );
    // A document with several of the keys is in several rows.
    return [...new Map(rows.map(([id, document]) => [String(id), pulled(id, document)])).values()];
  }

  async function entries(
    parser: string,
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, IndexedObject>> {
    const documents = await documentsWith(
      "[d :xt/id k]",
      [...new Set(ids)].map((id) => index.documentId(id)),
      parser,
      budget,
    );
    return new Map(
      documents.map((document) => {
        const read = index.read(document);
        return [read.names.id, read];
      }),
    );
  }

  function linksIn(
    document: Document,
    isWanted: (keys: readonly string[]) => boolean,
  ): IndexedLink[] {
    const from = index.readNames(document);
    return index
      .readLinks(document)
      .flatMap(({ link, keys }, number) => (isWanted(keys) ? [{ from, index: number, link }] : []));
  }

  return {
    async position(parser, budget) {
      return index.readState(await client.entity(index.stateId, budget), current(parser));
    },

    async keep(parser, kept, position, budget) {
      // Entries from before a rewrite can have what it removed.
      if (readChangesPosition(position, memory.rewrites.generation).isRestarted) return;
      for (let losses = 1; !(await keepOnce(parser, kept, position, budget)); losses += 1)
        // The caller continues at the position, so entries that were not kept must not pass as kept.
        await giveWay(losses, budget, client.url);
    },

    async entries(parser, ids, budget) {
      const found = await entries(parser, ids, budget);
      return ids.map((id) => found.get(id));
    },

    async named(parser, keys, budget) {
      const found = await documentsWith(`[d :${index.attribute("names")} k]`, keys, parser, budget);
      return found.map((document) => index.readNames(document));
    },

    async linking(parser, keys, budget) {
      const wanted = new Set(keys);
      const found = await documentsWith(`[d :${index.attribute("links")} k]`, keys, parser, budget);
      return found.flatMap((document) =>
        linksIn(document, (own) => own.some((key) => wanted.has(key))),
      );
    },

    async tagged(parser, tag, budget) {
      const found = await documentsWith(`[d :${index.attribute("tags")} k]`, [tag], parser, budget);
      return found.map((document) => index.readNames(document).id);
    },

    async tags(parser, budget) {
      const rows = await client.query(
        `{:find [t (count d)] :in [p s] :where [[d :${index.attribute("tags")} t] ${parserIs}]}`,
        [current(parser), index.stateId],
        budget,
      );
      return rows.map(([tag, objects]) => ({ tag: String(tag), objects: Number(objects) }));
    },

    async links(parser, after, limit, budget) {
      const rows = await client.query(
        `{:find [d o] :in [p s] :where [[d :${index.attribute("links")}] [d :${index.attribute("of")} o] ${parserIs}]}`,
        [current(parser), index.stateId],
        budget,
      );
      const ids = [...new Set(rows.map(([, object]) => names.idOf(String(object))))]
        .filter((id) => compareText(id, after) > 0)
        .sort(compareText);
      const links: IndexedLink[] = [];
      for (let start = 0; start < ids.length && links.length < limit; start += documentsAtOnce) {
        const part = ids.slice(start, start + documentsAtOnce);
        const documents = await documentsWith(
          "[d :xt/id k]",
          part.map((id) => index.documentId(id)),
          parser,
          budget,
        );
        const byId = new Map(documents.map((one) => [index.readNames(one).id, one]));
        for (const id of part) {
          if (links.length >= limit) break;
          const document = byId.get(id);
          if (document !== undefined) links.push(...linksIn(document, () => true));
        }
      }
      return links;
    },
  };
}

/** The transaction that keeps entries. Returns false if another client kept some at the same time. */
function entryKeeper(
  { client, names, memory }: DocumentQueriesParts,
  entries: (
    parser: string,
    ids: readonly ObjectId[],
    budget: CallBudget,
  ) => Promise<ReadonlyMap<ObjectId, IndexedObject>>,
): (
  parser: string,
  kept: readonly IndexEntry[],
  position: string,
  budget: CallBudget,
) => Promise<boolean> {
  const { index, rewrites } = names;

  function stateDocument(state: Document | undefined): JsonDocument | null {
    if (state === undefined) return null;
    const parser = String(state[index.attribute("parser")]);
    return index.state(parser, String(state[index.attribute("position")]));
  }

  return async (parser, kept, position, budget) => {
    const { generation } = memory.rewrites;
    const current = parserAt(parser, generation);
    const state = await client.entity(index.stateId, budget);
    const known =
      index.readState(state, current) === undefined
        ? new Map<ObjectId, IndexedObject>()
        : await entries(
            parser,
            kept.map((entry) => entry.names.id),
            budget,
          );
    const operations: Operation[] = [
      // Of two clients that keep entries at the same time, one tries again.
      ["match", index.stateId, stateDocument(state)],
      // Nothing that was read before a rewrite is kept after it.
      ["match", rewrites.stateId, generation === 0 ? null : rewrites.state(memory.rewrites)],
      ["put", index.state(current, position)],
      ...kept
        .filter((entry) => (known.get(entry.names.id)?.version ?? 0) <= entry.version)
        .map((entry): Operation => ["put", index.entry(current, entry)]),
    ];
    const { txId, held } = await client.submit(operations, budget);
    if (held ?? (await client.isCommitted(txId, budget))) return true;
    const now = rewrites.readState(await client.entity(rewrites.stateId, budget));
    if (now.journal !== undefined || now.generation !== generation) throw new RewriteNoticed();
    return false;
  };
}

/** Returns the name under which entries are kept: another one after each rewrite, so that no former entry is found. */
function parserAt(parser: string, generation: number): string {
  return generation === 0 ? parser : `${generation}/${parser}`;
}

const documentsAtOnce = 200;
