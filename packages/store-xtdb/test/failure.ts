import { StoreError } from "@self-context-manager/objects";

/** Returns the StoreError with which a call rejects. Throws if the call resolves or rejects with another error. */
export async function failure(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!StoreError.is(error))
    throw new Error("the call did not reject with a StoreError", { cause: error });
  return error;
}
