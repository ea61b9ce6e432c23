import { isJsonObject, type JsonValue } from "@self-context-manager/objects";

/** Replaces a text by another. */
export type ChangeText = (text: string) => string;

/** Fields of messages that are no text of a person, a program or a model: names, ids, encrypted data and files. */
const keptFields: ReadonlySet<string> = new Set([
  "data",
  "encrypted_content",
  "id",
  "kind",
  "mimeType",
  "role",
  "signature",
  "thinkingSignature",
  "thoughtSignature",
  "timestamp",
  "toolCallId",
  "toolName",
  "type",
]);

/** Inside arguments and details a field of any name can have any text. */
const keptInside: ReadonlySet<string> = new Set();

/** A file in base64, inside arguments and details too. */
const fileForm = /^[A-Za-z0-9+/]{1024,}={0,2}$/u;

/** Fields whose values are those of a tool or of the host, whatever their fields are called. */
const openFields: ReadonlySet<string> = new Set(["arguments", "details", "meta", "raw"]);

/**
 * Returns a message in which each text is changed: contents, thinking, arguments, details and the host's own fields. Ids,
 * names, signatures and files stay. The message itself is returned if nothing changes.
 */
export function changedMessage<Message extends object>(
  message: Message,
  change: ChangeText,
): Message {
  return changed(message as unknown as JsonValue, change, keptFields) as unknown as Message;
}

/** Returns a value in which each text is changed, also the names of fields; the value itself if nothing changes. */
export function changedValue(value: JsonValue, change: ChangeText): JsonValue {
  return changed(value, change, keptInside);
}

function changed(value: JsonValue, change: ChangeText, kept: ReadonlySet<string>): JsonValue {
  if (typeof value === "string")
    return kept === keptInside && fileForm.test(value) ? value : change(value);
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const made = list.map((item) => changed(item, change, kept));
    return made.every((item, index) => item === list[index]) ? value : made;
  }
  if (!isJsonObject(value)) return value;
  let isSame = true;
  const fields = Object.entries(value).map(
    ([name, field = null]): readonly [string, JsonValue | undefined] => {
      if (value[name] === undefined) return [name, undefined];
      const isOpen = kept === keptFields && openFields.has(name);
      const isKept = kept.has(name) && (kept === keptFields || typeof field === "string");
      const made = isKept ? field : changed(field, change, isOpen ? keptInside : kept);
      const newName = kept === keptInside ? change(name) : name;
      if (made !== field || newName !== name) isSame = false;
      return [newName, made];
    },
  );
  return isSame ? value : (Object.fromEntries(fields) as JsonValue);
}
