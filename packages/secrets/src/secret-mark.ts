/** What a mark says of the secret that it replaces. */
export interface SecretMark {
  readonly rule: string;
  /** The number of characters of the secret. */
  readonly length: number;
  readonly id: string;
}

/** The text with which each mark begins. A text without it has no mark. */
export const markStart = "[secret: ";

/** Matches each mark in a text. It has no quote and no backslash, so it is the same in JSON. */
export const markPattern: RegExp =
  /\[secret: (?<rule>[a-z0-9][a-z0-9-]{0,40}), (?<length>\d{1,7}) characters, (?<id>[0-9a-f]{12})\]/g;

/** Returns the mark that replaces a secret. */
export function secretMark({ rule, length, id }: SecretMark): string {
  return `${markStart}${rule}, ${length} characters, ${id}]`;
}
