import type { JSX } from "preact";
import type { NamedObject, ObjectAnswer } from "../../src/answers.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { visibleName } from "../text/visible-text.ts";

interface Row {
  readonly direction: string;
  readonly to?: NamedObject | undefined;
  readonly how: string;
}

/** The references and links of an object in both directions. */
export function ObjectLinks({ answer }: { readonly answer: ObjectAnswer }): JSX.Element {
  const { version, references, referrers, links, backlinks } = answer;
  const rows: readonly Row[] = [
    ...links.map(({ text, relation, to, isAmbiguous }) => ({
      direction: "links to",
      to,
      how: `${relation === undefined ? "" : `${relation}: `}${text}${isAmbiguous === true ? " (ambiguous)" : ""}${to === undefined ? " (broken)" : ""}`,
    })),
    ...backlinks.map((to) => ({ direction: "is linked from", to, how: to.relation ?? "" })),
    ...references.map((to) => ({ direction: "refers to", to, how: to.path })),
    ...referrers.map((to) => ({ direction: "is referred to by", to, how: to.path })),
  ];
  return (
    <section class="card" aria-labelledby="links-title">
      <h2 id="links-title">Links and references of the newest version ({version})</h2>
      <DataTable
        caption="Links are in the text of a document; references are in the fields of an object. Those to this object are from newest versions."
        columns={columns}
        rows={rows}
        keyOf={(row) => rows.indexOf(row)}
        empty="This object has no links and no references, and none lead to it."
      />
    </section>
  );
}

const columns: readonly Column<Row>[] = [
  { title: "Direction", cell: ({ direction }) => direction, order: ({ direction }) => direction },
  {
    title: "Object",
    cell: ({ to }) => (to === undefined ? "–" : <ObjectLink id={to.id} name={to.name} />),
    order: ({ to }) => to?.name ?? "",
  },
  { title: "Type", cell: ({ to }) => to?.type ?? "–", order: ({ to }) => to?.type ?? "" },
  { title: "Where", cell: ({ how }) => <bdi>{visibleName(how)}</bdi> },
];
