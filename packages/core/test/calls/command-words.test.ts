import { expect, test } from "vitest";
import { commandWords } from "../../src/calls/command-words.ts";

test.each([
  ["cat 'a b.ts' c\\ d.ts", ["cat", "a b.ts", "c d.ts"]],
  ["wc <in.txt >out.txt 2>&1", ["wc", "in.txt", "out.txt"]],
  [
    'X="a.ts" make --file="b.mk" -j=4 y=',
    ["X=a.ts", "a.ts", "make", "--file=b.mk", "b.mk", "-j=4", "4", "y=", ""],
  ],
  ['echo "$(cat a.ts | head -1)" `ls b`', ["echo", "cat", "a.ts", "head", "-1", "ls", "b"]],
  ["x=$(<notes.md); < in.txt", ["notes.md", "in.txt"]],
  ["cat a=b.txt 2> err.log 2>> more.log", ["cat", "a=b.txt", "b.txt", "err.log", "more.log"]],
  ["(cd x && make) 2> err.log", ["cd", "x", "make", "err.log"]],
  ["diff <(sort a) b", ["diff", "sort", "a", "b"]],
  ["cat <<EOF # c.ts\nd.ts\nEOF\nls e", ["cat", "ls", "e"]],
])("the words of %s", (line, words) => {
  expect(commandWords(line)).toEqual(words);
});
