import type { JsonValue, ObjectStore } from "@self-context-manager/core";
import { defined } from "@self-context-manager/objects";

import { CliError, UsageError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";
import { givenVersion } from "../version-selector.ts";

/** The query language of a store in XTDB; other stores have none. */
type Query = (
  edn: string,
  args: readonly JsonValue[],
  options: { readonly asOf?: AsOf },
) => Promise<readonly (readonly unknown[])[]>;

/** The state of the store that a query sees. */
type AsOf = { readonly txId: number } | { readonly txTime: string };

/** Queries a store in XTDB in Datalog and prints each row as a line of JSON. */
export async function runXtdbQuery(
  call: CommandCall,
  [edn, ...args]: readonly string[],
): Promise<void> {
  if (edn === undefined)
    throw new UsageError("query needs a query in EDN, and a value for each variable of its :in");
  const asOf = givenState(call.text("as-of"));
  await using store = await call.openStore();
  const query = queryOf(store);
  if (query === undefined) {
    throw new UsageError(
      `the store is of the kind ${store.name}, which has no query language; name a store in XTDB with --store xtdb`,
    );
  }
  let rows: readonly (readonly unknown[])[];
  try {
    rows = await query(edn, args.map(valueOf), defined({ asOf }));
  } catch (error) {
    if (error instanceof RangeError) throw new CliError(error.message);
    throw error;
  }
  for (const row of rows) await call.print(`${JSON.stringify(row)}\n`);
  if (rows.length > 0) return;
  const name = call.environment["SCM_XTDB_NAME"] ?? "scm";
  const [other] = namesIn(edn).filter((one) => one !== name);
  call.note(
    other === undefined
      ? "no rows"
      : `no rows; the query names the store ${other}, and this is the store ${name}: set SCM_XTDB_NAME, or write :${name}/ for :${other}/`,
  );
}

/** Returns the names of stores in the attributes of a query. */
function namesIn(edn: string): readonly string[] {
  const attributes = edn.matchAll(/:([a-z][a-z0-9-]*)(?:\.to)?\//gu);
  return [...attributes].flatMap(([, name]) => (name === undefined || name === "xt" ? [] : [name]));
}

function givenState(given: string | undefined): AsOf | undefined {
  if (given === undefined) return undefined;
  const state = givenVersion(given);
  if ("txId" in state || "txTime" in state) return state;
  throw new UsageError(
    `--as-of is ${JSON.stringify(given)}; with query it is tx:NUMBER or a time such as 2026-01-31T09:00:00Z`,
  );
}

function queryOf(store: ObjectStore): Query | undefined {
  return "query" in store && typeof store.query === "function" ? (store.query as Query) : undefined;
}

/** Parses an argument as JSON; an argument that is not JSON is a text, so a text needs no quotes. */
function valueOf(argument: string): JsonValue {
  try {
    return JSON.parse(argument) as JsonValue;
  } catch {
    // Most arguments are plain words.
    return argument;
  }
}
