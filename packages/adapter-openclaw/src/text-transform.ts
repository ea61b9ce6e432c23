/**
 * Returns a pattern with which `String.prototype.replace` calls a function instead: a text transform of OpenClaw has a
 * pattern and a text, and the text of a view depends on the request. It matches nothing by itself.
 */
export function textTransform(replaced: (text: string) => string): RegExp {
  const pattern = /(?!)/u;
  // oxlint-disable-next-line no-extend-native -- This is the object's own method, and no prototype is changed.
  Object.defineProperty(pattern, Symbol.replace, { value: (text: string) => replaced(text) });
  return pattern;
}
