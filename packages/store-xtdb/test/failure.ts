import { StoreError } from "@self-context-manager/objects";

/** The error that a call of a store rejects with. */
export async function failure(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!StoreError.is(error)) throw new Error("a StoreError was wanted", { cause: error });
  return error;
}
