/** The extensions of each file type that has others than its own name. */
const extensions: Readonly<Record<string, string>> = {
  batch: "bat",
  c: "c h",
  clojure: "clj edn",
  cpp: "cc cpp hpp",
  csharp: "cs",
  csv: "csv tsv",
  diff: "diff patch",
  elixir: "ex exs",
  erlang: "erl",
  graphql: "gql graphql",
  haskell: "hs",
  html: "htm html",
  ini: "cfg ini properties",
  javascript: "cjs js jsx mjs",
  json: "json json5 jsonc",
  kotlin: "kt",
  latex: "tex",
  markdown: "md mdx",
  notebook: "ipynb",
  ocaml: "ml",
  perl: "pl",
  powershell: "ps1",
  protobuf: "proto",
  python: "py",
  restructuredtext: "rst",
  ruby: "rb",
  rust: "rs",
  shell: "bash fish sh zsh",
  terraform: "tf",
  text: "conf lock txt",
  typescript: "mts cts ts tsx",
  yaml: "yaml yml",
};

/** The file types whose only extension is their name. */
const sameNames =
  "css dart go gradle java jsonl less log lua nix php r sass scala scss sql svelte svg swift toml vue xml zig";

/** File types by extension. The table in `docs/architecture/objects.md` is generated from it. */
export const fileTypes: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(extensions).flatMap(([type, of]) => of.split(" ").map((one) => [one, type])),
  ...sameNames.split(" ").map((name) => [name, name]),
]);

const typesByName: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  makefile: "makefile",
  license: "text",
  readme: "text",
};

/** Returns the type of a file by its name: `binary` for content that is not text, `text` for an unknown extension. */
export function fileType(path: string, isText: boolean): string {
  if (!isText) return "binary";
  const name = (path.split(/[/\\]/u).at(-1) ?? "").toLowerCase();
  const extension = name.includes(".") ? (name.split(".").at(-1) ?? "") : "";
  return own(fileTypes, extension) ?? own(typesByName, name) ?? "text";
}

function own(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
