import { type FollowedLink, linksOf, updateIndex } from "@self-context-manager/links";
import { markdownParser } from "@self-context-manager/documents";
import {
  type ObjectBody,
  type ObjectId,
  objectId,
  type ObjectStore,
  sealObject,
} from "@self-context-manager/objects";

/** What a link of a vault leads to. Files are named by their paths in the vault. */
export interface VaultLink {
  readonly from: string;
  /** `body`, or the place in the front matter. */
  readonly at: string;
  /** The text between the brackets, without escapes of bars. */
  readonly raw: string;
  readonly to?: string;
  /** The rank that found the target; `ambiguous` for several targets and `broken` for none. */
  readonly how: string;
  readonly candidates?: readonly string[];
}

const workspace = "/vault";

/** Returns the wiki links of a vault, in any order, as a store and core resolve them. Files are given by their paths. */
export async function vaultLinks(
  store: ObjectStore,
  files: ReadonlyMap<string, string>,
): Promise<readonly VaultLink[]> {
  const names = new Map<ObjectId, string>();
  const bodies: ObjectBody[] = [];
  for (const [file, content] of files) {
    const id = objectId(`object-${names.size}`);
    names.set(id, file);
    bodies.push({
      id,
      type: "file",
      locked: false,
      provenance: { origin: file, generator: "human" },
      content,
      path: `${workspace}/${file}`,
      file_type: file.endsWith(".md") ? "markdown" : "other",
    });
  }
  await store.commit(bodies.map((body) => ({ object: sealObject(body) })));
  await updateIndex(store, markdownParser);
  const links = await linksOf([...names.keys()], { store, parser: markdownParser, workspace });
  const nameOf = (id: ObjectId): string => names.get(id) ?? `${id}, which is no file of the vault`;
  return links.filter(({ link }) => link.syntax === "wiki").map((link) => written(link, nameOf));
}

function written(
  { from, link, target }: FollowedLink,
  nameOf: (id: ObjectId) => string,
): VaultLink {
  const common = {
    from: nameOf(from.id),
    at: link.path === "content" ? "body" : link.path.slice(1),
    raw: link.raw.replaceAll(String.raw`\|`, "|"),
  };
  if (target.state === "unresolved") return { ...common, how: "broken" };
  const to = nameOf(target.id);
  if (target.state === "resolved") return { ...common, to, how: target.rank };
  const candidates = target.candidates.map(nameOf).toSorted();
  return { ...common, to, how: "ambiguous", candidates };
}
