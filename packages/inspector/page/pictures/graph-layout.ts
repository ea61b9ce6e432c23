import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from "d3-force";
import type { GraphAnswer } from "../../src/answers.ts";

/** A place for each node, in the order of the nodes, within a box from 0 to width and height. */
export interface GraphPlaces {
  readonly width: number;
  readonly height: number;
  readonly places: readonly { readonly x: number; readonly y: number }[];
}

interface Node extends SimulationNodeDatum {
  readonly id: string;
}

/** Enough ticks for the forces to come to rest; they run at once, so nothing moves on the page. */
const ticks = 250;
const margin = 70;

/** Finds places for the nodes of a graph; the same graph gives the same places. */
export function graphPlaces({ nodes, edges }: GraphAnswer): GraphPlaces {
  const known = new Set<string>(nodes.map(({ id }) => id));
  const bodies = nodes.map(({ id }, index): Node => ({
    id,
    ...(index === 0 ? { fx: 0, fy: 0 } : {}),
  }));
  const links = edges
    .filter(({ from, to }) => known.has(from) && known.has(to) && from !== to)
    .map(({ from, to }) => ({ source: from as string, target: to as string }));
  const simulation = forceSimulation(bodies)
    .force(
      "link",
      forceLink<Node, (typeof links)[number]>(links)
        .id(({ id }) => id)
        .distance(115),
    )
    .force("charge", forceManyBody().strength(-420).distanceMax(600))
    .force("collide", forceCollide(34))
    .force("x", forceX(0).strength(0.05))
    .force("y", forceY(0).strength(0.09))
    .stop();
  simulation.tick(nodes.length > 150 ? ticks / 2 : ticks);
  const xs = bodies.map(({ x = 0 }) => x);
  const ys = bodies.map(({ y = 0 }) => y);
  const [left, top] = [Math.min(0, ...xs), Math.min(0, ...ys)];
  return {
    width: Math.max(0, ...xs) - left + 2 * margin,
    height: Math.max(0, ...ys) - top + 2 * margin,
    places: bodies.map(({ x = 0, y = 0 }) => ({ x: x - left + margin, y: y - top + margin })),
  };
}
