/** The values of a stream of lines of JSON, each as soon as its line is complete. Empty lines keep a stream alive. */
export async function* jsonLines(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<unknown, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
      if (done) break;
    }
    if (rest.trim() !== "") yield JSON.parse(rest);
  } finally {
    reader.releaseLock();
  }
}
