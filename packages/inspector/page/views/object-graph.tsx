import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { GraphAnswer } from "../../src/answers.ts";
import { paths } from "../data/source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { Shown } from "../parts/states.tsx";
import { graphPlaces } from "../pictures/graph-layout.ts";
import { linkTo } from "../route.ts";
import { visibleName } from "../text/visible-text.ts";

type GraphEdge = GraphAnswer["edges"][number];

/** The objects round an object, two steps far, as a picture and as a list. */
export function ObjectGraph({ id }: { readonly id: string }): JSX.Element {
  const answered = useAnswer<GraphAnswer>(paths.graph(id));
  return (
    <section class="card" aria-labelledby="graph-title">
      <h2 id="graph-title">Graph</h2>
      <Shown answered={answered} what="the graph">
        {(graph) =>
          graph.nodes.length < 2 ? (
            <p class="quiet">Nothing is linked with this object.</p>
          ) : (
            <>
              {graph.isCut ? (
                <p class="quiet">
                  Only the nearest {graph.nodes.length} objects are shown; there are more.
                </p>
              ) : null}
              <Picture graph={graph} />
              <p class="quiet">
                Full lines are links, dashed lines are references. The object of this page is in the
                middle.
              </p>
              <details>
                <summary>The same as a list</summary>
                <EdgeList graph={graph} />
              </details>
            </>
          )
        }
      </Shown>
    </section>
  );
}

/** The longest name in the picture. */
const longest = 26;

function Picture({ graph }: { readonly graph: GraphAnswer }): JSX.Element {
  const { width, height, places } = useMemo(() => graphPlaces(graph), [graph]);
  const placeOf = useMemo(
    () => new Map(graph.nodes.map(({ id }, index) => [id, places[index]] as const)),
    [graph, places],
  );
  return (
    <div
      class="scroll graph"
      tabIndex={0}
      role="group"
      aria-label="graph of the objects round this one"
    >
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        {graph.edges.map(({ from, to, relation, kind }, index) => {
          const [start, end] = [placeOf.get(from), placeOf.get(to)];
          if (start === undefined || end === undefined) return null;
          const isNear = from === graph.nodes[0]?.id || to === graph.nodes[0]?.id;
          return (
            <g key={index} class={`edge ${kind}`}>
              <line x1={start.x} y1={start.y} x2={end.x} y2={end.y} />
              {isNear && graph.nodes.length < 60 ? (
                <text x={(start.x + end.x) / 2} y={(start.y + end.y) / 2 - 3}>
                  {cut(visibleName(relation))}
                </text>
              ) : null}
            </g>
          );
        })}
        {graph.nodes.map(({ id, name, type, distance }, index) => {
          const place = places[index];
          if (place === undefined) return null;
          return (
            <a key={id} href={linkTo({ view: "object", id })} class={`node distance-${distance}`}>
              <title>{`${visibleName(name)} (${type})`}</title>
              <circle cx={place.x} cy={place.y} r={distance === 0 ? 10 : distance === 1 ? 7 : 5} />
              <text x={place.x} y={place.y + (distance === 0 ? 24 : 19)}>
                {cut(visibleName(name))}
              </text>
            </a>
          );
        })}
      </svg>
    </div>
  );
}

/** The end of a path says more than its beginning. */
function cut(name: string): string {
  return name.length > longest ? `…${name.slice(1 - longest)}` : name;
}

function EdgeList({ graph }: { readonly graph: GraphAnswer }): JSX.Element {
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name] as const));
  const columns: readonly Column<GraphEdge>[] = [
    {
      title: "From",
      cell: ({ from }) => <ObjectLink id={from} name={names.get(from) ?? from} />,
      order: ({ from }) => names.get(from) ?? from,
    },
    {
      title: "Relation",
      cell: ({ relation }) => visibleName(relation),
      order: ({ relation }) => relation,
    },
    {
      title: "To",
      cell: ({ to }) => <ObjectLink id={to} name={names.get(to) ?? to} />,
      order: ({ to }) => names.get(to) ?? to,
    },
    { title: "Kind", cell: ({ kind }) => kind, order: ({ kind }) => kind },
  ];
  return (
    <DataTable
      caption="Links and references of the graph"
      columns={columns}
      rows={graph.edges}
      keyOf={(edge) => graph.edges.indexOf(edge)}
      shown={40}
      empty="none"
    />
  );
}
