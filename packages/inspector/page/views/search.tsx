import type { JSX } from "preact";
import type { SearchAnswer } from "../../src/answers.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Name } from "../parts/name.tsx";
import { ObjectLink, VersionLink } from "../parts/object-link.tsx";
import { Shown } from "../parts/states.tsx";
import { linkTo } from "../route.ts";
import { visibleName } from "../text/visible-text.ts";

type Hit = SearchAnswer["hits"][number];

const howItFinds =
  "Handles such as f24 and parts of names and paths come first; in contents, only whole words are found.";

/** The objects that have a name or some words. */
export function SearchView({ words }: { readonly words: string }): JSX.Element {
  return (
    <>
      <h1>Search</h1>
      {words.trim() === "" ? (
        <p class="notice">
          Type a name or words into the search field. The key / leads to it. {howItFinds}
        </p>
      ) : (
        <Hits words={words} />
      )}
    </>
  );
}

function Hits({ words }: { readonly words: string }): JSX.Element {
  const answered = useAnswer<SearchAnswer>(paths.search(words));
  return (
    <Shown answered={answered} what="the index">
      {({ hits, isComplete }) => (
        <>
          {isComplete ? null : (
            <p class="notice">
              The search index is still being made, so there may be more. Search again in a moment.
            </p>
          )}
          <DataTable
            caption={
              <>
                Objects with <q>{<Name text={words} />}</q>. {howItFinds}
              </>
            }
            columns={columns}
            rows={hits}
            keyOf={(hit) => `${hit.id} ${hit.version} ${hits.indexOf(hit)}`}
            shown={50}
            empty="No object has this name or all of these words."
          />
        </>
      )}
    </Shown>
  );
}

const columns: readonly Column<Hit>[] = [
  {
    title: "Object",
    cell: ({ id, name }) => <ObjectLink id={id} name={name} />,
    order: ({ name }) => name,
  },
  { title: "Type", cell: ({ type }) => type, order: ({ type }) => type },
  {
    title: "Found by",
    cell: ({ by, handle }) => (by === "handle" ? `handle ${visibleName(handle ?? "")}` : by),
    order: ({ by }) => by,
  },
  {
    title: "Words in version",
    isNumber: true,
    cell: ({ id, version }) =>
      version === undefined ? "–" : <VersionLink id={id} version={version} />,
  },
  {
    title: "Line",
    cell: ({ line }) => <bdi class="sentence code">{visibleName(line.slice(0, 300))}</bdi>,
  },
  {
    title: "Session",
    cell: ({ session }) =>
      session === undefined ? "–" : <a href={linkTo({ view: "session", session })}>session</a>,
  },
];
