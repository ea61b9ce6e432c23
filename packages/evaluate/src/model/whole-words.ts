/** Whether a text has another one that no letter or digit continues: `open.sh 4` is not in `open.sh 48`. */
export function hasWhole(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
    if (!isOfWord(text[at - 1]) && !isOfWord(text[at + part.length])) return true;
  return false;
}

function isOfWord(sign: string | undefined): boolean {
  return /[\p{L}\p{N}_]/u.test(sign ?? "");
}
