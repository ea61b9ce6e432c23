import type { ForgottenText, JsonValue } from "@self-context-manager/objects";

import type { Document, JsonDocument } from "../client/node-client.ts";
import { type AttributeName, documentValues } from "./document-values.ts";
import { documentSums } from "./document-sums.ts";
import { packText, unpackText } from "./packed-text.ts";

/**
 * The documents of rewrites. With the store name `scm`:
 *
 * - `scm/rewrites` is the state: the number of finished rewrites, and the journal of one that is under way. It changes
 *   with each step of a rewrite and at no other time, so clients watch it.
 * - `scm/rewrite/JOURNAL/PIECE` is a piece of the journal: the transactions that the rewrite still makes.
 * - `scm/removed/ARRIVAL` holds the place of a removed version in the order of arrivals.
 * - `scm/privacy` has the key of the store and the forgotten texts.
 */
export interface RewriteDocuments {
  readonly stateId: string;
  state(state: RewriteState): JsonDocument;
  readState(document: Document | undefined): RewriteState;

  pieceId(journal: string, piece: number): string;
  /** Returns the documents of a journal except the last one. */
  pieces(journal: string, text: string): readonly JsonDocument[];
  /** Returns the last document of a journal, which is put when the rewrite begins. */
  lastPiece(journal: Journal, text: string): JsonDocument;
  /** Returns the text of a journal from its documents, in their order. */
  readPieces(documents: readonly Document[]): string;

  removedId(arrival: number): string;
  removed(arrival: number, generation: number): JsonDocument;
  /** Whether a document holds the place of a removed version. */
  isRemoved(documentId: string): boolean;

  readonly privacyId: string;
  privacy(privacy: KeptPrivacy): JsonDocument;
  readPrivacy(document: Document): KeptPrivacy;
}

/** The state of the rewrites of a store. */
export interface RewriteState {
  /** Number of finished rewrites. */
  readonly generation: number;
  /** The rewrite that is under way; undefined if there is none. */
  readonly journal: Journal | undefined;
}

/** The place of a journal, and how far its rewrite is. */
export interface Journal {
  readonly name: string;
  /** Number of documents of the journal, without the last one. */
  readonly pieces: number;
  /** Number of transactions that have been made. */
  readonly step: number;
}

/** The key of the store, and the forgotten texts. */
export interface KeptPrivacy {
  readonly key: string;
  readonly forgotten: readonly ForgottenText[];
}

/** Longest piece of a journal, in characters. A journal is ASCII. */
const pieceLength = 500_000;

export function rewriteDocuments(
  name: string,
  make: (
    id: string,
    attributes: Readonly<Partial<Record<AttributeName, JsonValue | undefined>>>,
  ) => JsonDocument,
): RewriteDocuments {
  const { read, text, count } = documentValues(name);
  const sums = documentSums(name);
  const stateId = `${name}/rewrites`;
  const privacyId = `${name}/privacy`;
  const removedPrefix = `${name}/removed/`;
  const pieceId = (journal: string, piece: number): string => `${name}/rewrite/${journal}/${piece}`;

  return {
    stateId,
    state: ({ generation, journal }) =>
      make(stateId, {
        generation,
        journal: journal === undefined ? undefined : `${journal.name} ${journal.pieces}`,
        step: journal?.step,
      }),
    readState(document) {
      if (document === undefined) return { generation: 0, journal: undefined };
      const generation = count(sums.checked(document), "generation");
      if (read(document, "journal") === undefined) return { generation, journal: undefined };
      const [journal = "", pieces = ""] = text(document, "journal").split(" ");
      return {
        generation,
        journal: { name: journal, pieces: Number(pieces), step: count(document, "step") },
      };
    },

    pieceId,
    pieces(journal, whole) {
      const form = formOf(whole);
      const documents: JsonDocument[] = [];
      for (let start = 0; start < form.length; start += pieceLength)
        documents.push(
          make(pieceId(journal, documents.length), {
            journal,
            text: form.slice(start, start + pieceLength),
          }),
        );
      return documents;
    },
    lastPiece: ({ name: journal, pieces }, whole) =>
      make(pieceId(journal, pieces), { journal, text: formOf(whole) }),
    readPieces(documents) {
      const form = documents.map((document) => text(sums.checked(document), "text")).join("");
      return form.startsWith("^")
        ? unpackText(form.slice(1))
        : Buffer.from(form, "base64url").toString();
    },

    removedId: (arrival) => removedPrefix + String(arrival),
    removed: (arrival, generation) =>
      make(removedPrefix + String(arrival), { arrival, removed: true, generation }),
    isRemoved: (documentId) => documentId.startsWith(removedPrefix),

    privacyId,
    privacy({ key, forgotten }) {
      const json = JSON.stringify(forgotten);
      return make(privacyId, { key, forgotten: packText(json) ?? json });
    },
    readPrivacy(document) {
      const form = text(sums.checked(document), "forgotten");
      return {
        key: text(document, "key"),
        forgotten: JSON.parse(form.startsWith("[") ? form : unpackText(form)) as ForgottenText[],
      };
    },
  };
}

/** Returns a text in a form that is ASCII, packed if that is shorter. */
function formOf(whole: string): string {
  const packed = packText(whole);
  return packed === undefined ? Buffer.from(whole).toString("base64url") : `^${packed}`;
}
