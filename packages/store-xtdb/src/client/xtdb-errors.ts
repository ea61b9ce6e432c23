import { StoreError, type StoreErrorCode } from "@self-context-manager/objects";

/** An answer of XTDB, with its status and its body as plain values. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The last transaction that changed the watched document; 0 if there is no such document. */
  readonly watched?: number;
}

/**
 * The kind of a failure: no connection or an interrupted one, so that the node may have ended; no answer in time; an
 * error that the node returned; or any other failure.
 */
export type FailureKind = "connection" | "late" | "node-error" | "other";

/** A request without a usable answer. Another attempt may succeed. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  /** Whether the node may have executed the request; false if the request never reached it. */
  readonly mayHaveRun: boolean;
  /** Default: `other`. */
  readonly kind: FailureKind;

  constructor(
    message: string,
    mayHaveRun: boolean,
    options?: ErrorOptions & { readonly kind?: FailureKind },
  ) {
    super(message, options);
    this.mayHaveRun = mayHaveRun;
    this.kind = options?.kind ?? "other";
  }
}

/** Damage that this package found in the stored documents. */
export class DamageError extends Error {
  override readonly name = "DamageError";
}

/** Another client rewrites versions, or has done so since the call began. The call has to be repeated. */
export class RewriteNoticed extends Error {
  override readonly name = "RewriteNoticed";
}

/** Returns a `StoreError` with the URL of the node and the given text. */
export function storeError(
  code: StoreErrorCode,
  url: string,
  what: string,
  cause?: unknown,
): StoreError {
  const options = cause === undefined ? undefined : { cause };
  return new StoreError(code, `the XTDB node ${url}: ${what}`, options);
}

/** The commands that help with a damaged store. */
const damageAdvice =
  "scm doctor shows what is damaged, scm export writes what is sound, and scm restore takes a backup";

/** Returns the error for damage of a store, with what is damaged and what to do. */
export function damageIn(url: string, what: string, cause?: unknown): StoreError {
  return storeError("STORE_CORRUPT", url, `its data are damaged: ${what}; ${damageAdvice}`, cause);
}

/** Returns the `StoreError` for damage or a failed request; any other error unchanged. */
function storeErrorOf(error: unknown, url: string): unknown {
  if (error instanceof DamageError) return damageIn(url, error.message, error);
  if (error instanceof RequestFailure) {
    return storeError(
      "STORE_UNAVAILABLE",
      url,
      `${error.message}. The next call tries again`,
      error,
    );
  }
  return error;
}

/** Returns the error for a caller's own query. XTDB detects some mistakes only while it runs the query. */
export function queryFailureOf(error: unknown, url: string): unknown {
  if (!(error instanceof RequestFailure) || !/\((?:java|clojure)\.lang\./u.test(error.message))
    return error;
  return new RangeError(
    `the XTDB node ${url} failed while it ran the query: ${error.message} (node.log in the data folder of a local node). Check that there is a value for each of its :in, that functions get values of the type that they need, and that no rule is within not or has one variable twice`,
    { cause: error },
  );
}

/** Throws for a refusal that another attempt would not change. */
export function checkRefusal({ status, body }: Answer, url: string): void {
  if (status < 400 || status >= 500 || status === 404 || status === 408 || status === 429) return;
  const reason = reasonOf(body);
  if (status === 401) {
    throw storeError(
      "STORE_UNREADABLE",
      url,
      "the token is missing or wrong; set SCM_XTDB_TOKEN or the option token to the node's token, which a local node keeps in the file token of its data folder",
    );
  }
  if (status === 403) {
    throw storeError(
      "STORE_READ_ONLY",
      url,
      `it refuses to write (${reason}); give the URL of a node that is not read-only`,
    );
  }
  if (status === 413) {
    throw storeError(
      "STORE_FULL",
      url,
      `the commit is larger than its limit (${reason}); raise max-body-bytes there, or commit less at once`,
    );
  }
  if (status === 421) {
    throw storeError(
      "STORE_UNREADABLE",
      url,
      `it does not accept this host name (${reason}); use the host name with which it was started`,
    );
  }
  if (isOutOfSync(body)) return;
  throw new RangeError(`the XTDB node ${url} refuses the request: ${reason}`);
}

/** Whether a node has answered that it has not yet indexed the requested transaction. */
export function isOutOfSync(body: unknown): boolean {
  return field(body, "error-key") === "node-out-of-sync" || /out.of.sync/iu.test(reasonOf(body));
}

/** Returns the reason in a node's answer; `no reason given` if there is none. */
export function reasonOf(body: unknown): string {
  for (const name of ["message", "error", "class", "error-key", "type"]) {
    const value = field(body, name);
    if (typeof value === "string" && value !== "") return value.slice(0, 300);
  }
  return "no reason given";
}

/** Returns a field of an answer by its name without the namespace. */
export function field(body: unknown, name: string): unknown {
  if (typeof body !== "object" || body === null) return undefined;
  for (const [key, value] of Object.entries(body)) {
    if (key === name || key.endsWith(`/${name}`)) return value;
  }
  return undefined;
}

/** Runs work on a node. Its errors are `StoreError`s with the URL of the node. */
export async function answered<Result>(
  node: { readonly url: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeErrorOf(error, node.url);
  }
}
