/**
 * Returns the data of each server-sent event of a stream. The last event counts without its empty line too: the stream
 * can have ended with it.
 */
export function eventData(stream: string): readonly string[] {
  const found: string[] = [];
  let lines: string[] = [];
  const end = (): void => {
    if (lines.length > 0) found.push(lines.join("\n"));
    lines = [];
  };
  for (const line of stream.replace(/^\uFEFF/u, "").split(/\r\n|\n|\r/u)) {
    if (line === "") end();
    else if (line.startsWith("data:")) lines.push(line.slice(line.startsWith("data: ") ? 6 : 5));
  }
  end();
  return found;
}
