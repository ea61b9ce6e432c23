/**
 * The stable identifier of an object: a UUIDv7, or for a tool call the id that the provider gave it if that is unique.
 */
export type ObjectId = string & { readonly __brand: "ObjectId" };

/** The longest id that is accepted from a provider, in UTF-16 units. */
const longestId = 512;

/** Returns a string as an object id; throws `RangeError` if `isObjectId` is false for it. */
export function objectId(text: string): ObjectId {
  if (!isObjectId(text)) {
    throw new RangeError(
      `an object id has 1 to ${longestId} printable characters without spaces at its ends; got ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
  return text;
}

/** Whether a string can be an object id: well-formed, printable, of 1 to 512 UTF-16 units. */
export function isObjectId(text: string): text is ObjectId {
  return (
    text.length > 0 &&
    text.length <= longestId &&
    text.isWellFormed() &&
    text.trim() === text &&
    !/\p{Cc}/u.test(text)
  );
}
