import type { FileSource, FoundText, TextMask } from "@self-context-manager/objects";

/** Returns a source whose texts have the marks of a mask. Names, sizes and times are those of the files. */
export function maskedFiles(
  files: FileSource,
  mask: TextMask,
  onFound?: (found: FoundText) => void,
): FileSource {
  return {
    resolve: (path, base) => files.resolve(path, base),
    stat: async (path) => await files.stat(path),
    list: async (folder) => await files.list(folder),
    async read(path) {
      const content = await files.read(path);
      const { text } = content;
      return text === null ? content : { ...content, text: mask.hide(text, onFound) };
    },
  };
}
