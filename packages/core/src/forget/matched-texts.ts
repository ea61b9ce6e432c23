import { everyItem, type ObjectId, type ObjectStore } from "@self-context-manager/objects";
import { withTexts } from "./forgotten-object.ts";
import { outsideMarks } from "./text-forms.ts";

/** Returns the parts of a text that are meant. */
export type Matches = (text: string) => Iterable<{ readonly start: number; readonly end: number }>;

/** Units before the end of a known content that are looked at again with what follows: a match can begin there. */
const lookedAtAgain = 16_384;

/**
 * Returns the texts that match in any field of any version, each once, except in some objects. Not within the marks of
 * forgotten texts. Rejects with `STORE_CORRUPT` at a damaged version.
 */
export async function matchedTexts(
  store: ObjectStore,
  matches: Matches,
  except: ReadonlySet<ObjectId> = new Set(),
): Promise<ReadonlySet<string>> {
  const texts = new Set<string>();
  const look = (text: string): string => {
    const spans = [...matches(text)].map((span) => ({ ...span, mark: "" }));
    for (const { start, end } of outsideMarks(text, spans))
      if (end > start) texts.add(text.slice(start, end));
    return text;
  };
  const clean = new WeakSet<object>();
  const note = { at: "", reason: "" };
  for await (const { body } of everyItem((page) => store.find({ limit: 500, ...page }))) {
    if (except.has(body.id)) continue;
    let known = "";
    for await (const stored of store.versions(body.id)) {
      const { content } = stored.body;
      // A content that grows is looked at once.
      const isGrown = content !== null && known !== "" && content.startsWith(known);
      if (isGrown) look(content.slice(Math.max(0, known.length - lookedAtAgain)));
      known = content ?? "";
      const others = isGrown ? { ...stored, body: { ...stored.body, content: null } } : stored;
      withTexts(others, note, { change: look, clean });
    }
  }
  return texts;
}
