import { StoreError } from "@self-context-manager/objects";

/** Whether an error means that the store cannot be used for now, and may be again without a change of the settings. */
export function isStoreTrouble(error: unknown): boolean {
  return StoreError.is(error, "STORE_BUSY") || StoreError.is(error, "STORE_UNAVAILABLE");
}

/** Whether an error means that this session cannot be used again, but the same session can be opened again. */
export function isSessionGone(error: unknown): boolean {
  return StoreError.is(error, "STORE_LOST") || StoreError.is(error, "STORE_CLOSED");
}

/** Whether the store works again after a while, or after the session was opened again on a new store. */
export function isStoreFailure(error: unknown): boolean {
  return isStoreTrouble(error) || isSessionGone(error);
}
