import type { DeliberateFault } from "./deliberate-fault.ts";

/** Faults that the tests in `packages/store-xtdb/test` must find. Most of these tests need Java. */
export const storeXtdbFaults: readonly DeliberateFault[] = [
  {
    file: "client/node-client.ts",
    of: "endTxId: to + 1",
    becomes: "endTxId: to",
    breaks: "The last of several versions is not in the history.",
  },
  {
    file: "client/pull-documents.ts",
    of: "if (document !== null) return",
    becomes: "if (document !== undefined) return",
    breaks: "A document that only the index has ends a read with a TypeError.",
  },
  {
    file: "client/requests.ts",
    of: "throwHttpErrors: false,",
    becomes: "",
    breaks: "A node that refuses a query is reported as one that does not answer.",
  },
  {
    file: "client/node-client.ts",
    of: "if (status !== 401 || !moves) return undefined;",
    becomes: "return undefined;",
    breaks: "A store is refused by its node after a restart, which gave the node another token.",
  },
  {
    file: "node/token.ts",
    of: "{ mode: 0o600 }",
    becomes: "{ mode: 0o644 }",
    breaks: "Another user can read the token of a node.",
  },
  {
    file: "node/node-config.ts",
    of: ":fn-allow-list []",
    becomes: "",
    breaks: "A query can call any function of the node's process.",
  },
  {
    file: "xtdb-documents/field-attributes.ts",
    of: "&& inside === undefined && fits(value)",
    becomes: "&& fits(value)",
    breaks: "The data of a provider comes back with its keys in another order.",
  },
  {
    file: "xtdb-documents/field-attributes.ts",
    of: "return !Number.isInteger(value) || Number.isSafeInteger(value);",
    becomes: "return true;",
    breaks: "A whole number above 2^53 comes back as another one.",
  },
  {
    file: "xtdb-documents/reference-documents.ts",
    of: "return Math.floor(sameStart",
    becomes: "return Math.ceil(sameStart",
    breaks: "A reference that joins a page which is not full is not found.",
  },
  {
    file: "xtdb-documents/reference-documents.ts",
    of: "references.length === 0\n",
    becomes: "references.length < 0\n",
    breaks: "A page without references keeps a document.",
  },
  {
    file: "xtdb-documents/reference-documents.ts",
    of: "if (former.value === latter.value && former.opaque === latter.opaque) continue;",
    becomes: "if (former.value === latter.value || latter.value === undefined) continue;",
    breaks: "References of a field that an object no longer has are still found.",
  },
  {
    file: "reading/past-versions.ts",
    of: "const last = versions.at(-1);",
    becomes: "const last = versions.at(0);",
    breaks: "An export asks for each earlier version on its own.",
  },
  {
    file: "reading/past-versions.ts",
    of: "await transactionOf(last.id, last.version, budget);",
    becomes: "await client.latestTransaction(budget);",
    breaks: "Earlier versions of several objects are read one object at a time.",
  },
  {
    file: "reading/as-of.ts",
    of: 'Number(names.read(commit, "tx")) <= txId',
    becomes: 'Number(names.read(commit, "tx")) < txId',
    breaks: "A query as of a transaction does not see what that transaction wrote.",
  },
  {
    file: "reading/as-of.ts",
    of: "{:find [(max n)]",
    becomes: "{:find [(min n)]",
    breaks: "A query as of a time sees the first commit only.",
  },
  {
    file: "open-xtdb-store.ts",
    of: "if (asOf !== undefined && txId === undefined) return [];",
    becomes: "",
    breaks: "A query as of a state before the first commit sees the present.",
  },
  {
    file: "reading/list-objects.ts",
    of: "if (newestFirst) to = start - 1;",
    becomes: "if (newestFirst) to = start - 2;",
    breaks: "A long listing leaves out objects between two windows.",
  },
  {
    file: "reading/find-referrers.ts",
    of: "(kind === undefined || reference.ref === kind) &&",
    becomes: "",
    breaks: "References of the other kind are listed too.",
  },
  {
    file: "writing/restore.ts",
    of: '...(last === undefined ? [] : [["match", last["xt/id"], last] satisfies Operation]),',
    becomes: "",
    breaks: "An import stores later transactions if an earlier one was lost.",
  },
  {
    file: "writing/restore.ts",
    of: "checkSameVersion(there, one);",
    becomes: "",
    breaks: "An import that contradicts the store is not refused.",
  },
  {
    file: "writing/restore.ts",
    of: "for (const [nickname, owner] of plan.owners) owners.set(nickname, owner);",
    becomes: "",
    breaks: "A nickname that was given away and back during an import is lost or doubled.",
  },
  {
    file: "writing/write-plan.ts",
    of: "...pageOperations(before?.stored.body, stored.body, names),",
    becomes: "...pageOperations(undefined, stored.body, names),",
    breaks: "Pages of references that are no longer needed are kept.",
  },
];
