/** How a long text is cut into pieces that a browser can draw one by one. */
export interface ChunkSize {
  readonly lines: number;
  readonly characters: number;
}

/** Cuts a text into pieces that together are the text. A piece ends with a line if it can. */
export function textChunks(text: string, size: ChunkSize): readonly string[] {
  const chunks: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = chunkEnd(text, start, size);
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function chunkEnd(text: string, start: number, { lines, characters }: ChunkSize): number {
  let end = start;
  const limit = start + characters;
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf("\n", end);
    if (next < 0) return text.length <= limit ? text.length : cut(text, end, start, limit);
    if (next + 1 > limit) return cut(text, end, start, limit);
    end = next + 1;
  }
  return end;
}

/** The end of the last whole line, or a place within the line that does not part a pair of surrogates. */
function cut(text: string, lineEnd: number, start: number, limit: number): number {
  if (lineEnd > start) return lineEnd;
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last < 0xdc00 ? limit + 1 : limit;
}

/** The beginning of a text with at most so many lines and characters, and whether something follows. */
export function textHead(
  text: string,
  size: ChunkSize,
): { readonly head: string; readonly isWhole: boolean } {
  let end = 0;
  for (let line = 0; line < size.lines && end < text.length; line++) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
    if (end > size.characters) {
      end = cut(text, 0, 0, Math.min(size.characters, text.length));
      break;
    }
  }
  return { head: text.slice(0, end), isWhole: end >= text.length };
}
