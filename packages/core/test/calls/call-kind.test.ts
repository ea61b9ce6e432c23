import { describe, expect, test } from "vitest";
import { type CallKind, commandFacts, patchedPaths } from "../../src/calls/call-kind.ts";

const kinds: Readonly<Record<CallKind, readonly string[]>> = {
  read: [
    "cat a.ts",
    "cd /w && sed -n '1,20p' src/a.ts",
    "sed -n '1,5p' a.ts; sed -n '7,9p' b.ts",
    "nl -ba a.ts | sed -n '1,45p'",
    "cat a.ts 2>/dev/null | head -50",
    "< a.ts | cat",
    "head -n 5 a.ts && echo --- && tail -5 b.ts",
    "/usr/bin/cat a.ts",
    "bat -r 1:20 a.ts",
    "less a.ts",
    'for f in a.ts b.ts; do echo "== $f"; cat "$f"; done',
    "bash -lc 'cd x && cat a.ts'",
    "sudo cat /etc/hosts",
    "if [ -f a.ts ]; then cat a.ts; fi",
    "wc -l a.ts && cat a.ts",
    "FOO=1 cat a.ts",
    "A=1 B=two cat a.ts",
    "timeout 5 cat a.ts",
    "rtk proxy cat a.ts",
    "rtk cat a.ts",
  ],
  search: [
    "rg -n foo src",
    "grep -rn foo . | head -5",
    "git grep foo",
    "git -C sub --no-pager grep foo",
    "find . -name '*.ts' | sort",
    "fd a",
    "ls -la src",
    "tree src",
    "cat a.ts | grep foo",
    "cat a.ts && ls",
    "rg -l foo | xargs sed -n 1,5p",
  ],
  command: [
    "npm test",
    "git status --short",
    "git diff | head -20",
    "sed -i 's/a/b/' a.ts",
    "sed -ni p a.ts",
    "sed 's/a/b/' a.ts",
    "cat a.ts | jq .",
    "cat a.ts > b.ts",
    "cat a.ts; npm test",
    "npm test 2>&1 | tail -20",
    "python3 - <<'EOF'\nopen('a.ts')\nEOF",
    "find . -name '*.o' -delete",
    "awk '{print}' a.ts",
    "git show HEAD:a.ts",
    "echo hello",
    "cat <<EOF\nhello\nEOF",
    "timeout -k 3 5 cat a.ts",
    "FOO=1",
    "",
  ],
  write: [
    "cat > a.ts <<'EOF'\nx\nEOF",
    "cat <<EOF >> a.ts\nx\nEOF\nnpm test",
    "tee a.ts <<EOF\nx\nEOF",
  ],
  edit: [
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch\nEOF",
    "cd w && apply_patch '*** Begin Patch\n*** Add File: a.ts\n+x\n*** End Patch'",
  ],
  web: [],
  agent: [],
  other: [],
};

const lines = Object.entries(kinds).flatMap(([kind, list]) => list.map((line) => ({ kind, line })));

describe("a command line", () => {
  test.each(lines)("is a $kind: $line", ({ kind, line }) => {
    expect(commandFacts(line).kind).toBe(kind);
  });

  test.each([
    ["cat a.ts 'b c' \"$x\" *.md", ["a.ts", "b c"]],
    ["sed -n '1,5p' src/a.ts Makefile", ["src/a.ts", "Makefile"]],
    ["sed -n -e 1p -e 3p a.ts", ["a.ts"]],
    ["head -n 20 LICENSE", ["LICENSE"]],
    ["rg -n 'a/b.c (x)' src/a.ts README.md", ["src/a.ts", "README.md"]],
    ["go test ./internal/sem -run TestX", ["./internal/sem"]],
    ["cd /somewhere && cat a.ts && cat a.ts", ["a.ts"]],
    ["for f in a.ts b.ts; do cat $f; done", ["a.ts", "b.ts"]],
    ["curl https://a.b/c.ts; sleep 3.14s; echo v1.2.3 2.0 -f.x s/a/b/g", []],
    ["npm test > out/log.txt", ["out/log.txt"]],
    ["sed -n -f script.sed a.ts", ["a.ts"]],
    ["sed -nf script.sed a.ts", ["a.ts"]],
    ["sed -n 1p my-file", ["my-file"]],
    ["tail +3 a.ts", ["a.ts"]],
    ["head -n 3 - a.ts", ["a.ts"]],
    ["ls ../.. ./src .", ["./src"]],
  ])("names files: %s", (line, paths) => {
    expect(commandFacts(line).paths).toEqual(paths);
  });

  test("names the file into which a here-document goes", () => {
    expect(commandFacts("cd /w && cat > src/a.ts <<'EOF'\nx > y.ts\nEOF")).toEqual({
      kind: "write",
      paths: ["src/a.ts"],
      writtenPath: "src/a.ts",
    });
  });

  test("names the file that a nested shell writes, if it writes one", () => {
    const writing = commandFacts("bash -c 'cat > a.ts <<EOF\nx\nEOF'");

    expect(writing).toMatchObject({ kind: "write", writtenPath: "a.ts" });
    expect(commandFacts("bash -c 'npm test'")).not.toHaveProperty("writtenPath");
  });

  test("names the files that a patch changes", () => {
    const patch =
      "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** Delete File: c.ts";

    expect(patchedPaths(patch)).toEqual(["a.ts", "b.ts", "c.ts"]);
    expect(commandFacts(`apply_patch <<'EOF'\n${patch}\n*** End Patch\nEOF`)).toEqual({
      kind: "edit",
      paths: ["a.ts", "b.ts", "c.ts"],
      writtenPath: "a.ts",
    });
  });

  test("is read only to a limited depth of nested shells", () => {
    const nested = Array.from({ length: 50 }).reduce<string>(
      (line) => `bash -c '${line.replaceAll("'", `'\\''`).slice(0, 4000)}'`,
      "cat a.ts",
    );

    expect(commandFacts(nested).kind).toBe("command");
  });
});
