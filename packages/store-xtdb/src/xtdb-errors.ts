import { StoreError, type StoreErrorCode } from "@self-context-manager/objects";

/** What one request came to: an answer of XTDB's, with its status and its body as plain values. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * No connection, or one that broke, so that the node may have ended; no answer in time; an error of the node's; or an
 * answer that is none.
 */
export type FailureKind = "connection" | "late" | "node-error" | "other";

/** A request that brought no usable answer: another try may. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  /** False where the request never reached the node, so that it did nothing. */
  readonly mayHaveRun: boolean;
  /** What the request met. */
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

/** What is stored does not fit together, as this package found. */
export class DamageError extends Error {
  override readonly name = "DamageError";
}

/** An error that names the node and says what to do. */
export function storeError(
  code: StoreErrorCode,
  url: string,
  what: string,
  cause?: unknown,
): StoreError {
  const options = cause === undefined ? undefined : { cause };
  return new StoreError(code, `the XTDB node ${url}: ${what}`, options);
}

/** Turns what a call failed with into what its caller is told; what is no failure of the node's is answered as it is. */
export function storeErrorOf(error: unknown, url: string): unknown {
  if (error instanceof DamageError) {
    return storeError(
      "STORE_CORRUPT",
      url,
      `what it keeps is damaged, ${error.message}; restore the database from a backup or an export`,
      error,
    );
  }
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

/** What a query of a caller's own failed with: XTDB meets some mistakes in it only while it runs it. */
export function queryFailureOf(error: unknown, url: string): unknown {
  if (!(error instanceof RequestFailure) || !/\(java\.lang\./u.test(error.message)) return error;
  return new RangeError(
    `the XTDB node ${url} failed while it ran the query: ${error.message}; look whether there is a value for each of its :in`,
    { cause: error },
  );
}

/** Throws for an answer that no further try would change. */
export function checkRefusal({ status, body }: Answer, url: string): void {
  if (status < 400 || status >= 500 || status === 404 || status === 408 || status === 429) return;
  const reason = reasonOf(body);
  if (status === 401) {
    throw storeError("STORE_UNREADABLE", url, "it wants a token; give one as `token`");
  }
  if (status === 403) {
    throw storeError(
      "STORE_READ_ONLY",
      url,
      `it refuses to write (${reason}); name a node that is not read-only`,
    );
  }
  if (status === 413) {
    throw storeError(
      "STORE_FULL",
      url,
      `the commit is larger than it takes (${reason}); raise max-body-bytes there, or commit less at once`,
    );
  }
  if (status === 421) {
    throw storeError(
      "STORE_UNREADABLE",
      url,
      `it does not answer to this host name (${reason}); use the one it was started with`,
    );
  }
  if (isOutOfSync(body)) return;
  throw new RangeError(`the XTDB node ${url} refuses the request: ${reason}`);
}

/** Whether a node says that it has not come to the transaction that was asked for. */
export function isOutOfSync(body: unknown): boolean {
  return field(body, "error-key") === "node-out-of-sync" || /out.of.sync/iu.test(reasonOf(body));
}

/** What an answer says went wrong, in the words of the node. */
export function reasonOf(body: unknown): string {
  for (const name of ["message", "error", "class", "error-key", "type"]) {
    const value = field(body, name);
    if (typeof value === "string" && value !== "") return value.slice(0, 300);
  }
  return "no reason given";
}

/** A field of an answer by its name without the namespace. */
export function field(body: unknown, name: string): unknown {
  if (typeof body !== "object" || body === null) return undefined;
  for (const [key, value] of Object.entries(body)) {
    if (key === name || key.endsWith(`/${name}`)) return value;
  }
  return undefined;
}
