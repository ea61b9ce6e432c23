import type { StackKind } from "../figures/call-parts.ts";
import { stackKinds } from "../figures/call-parts.ts";
import { kindNames } from "../text/words.ts";

/** The colours of a picture, from the style sheet of the page. */
export interface Palette {
  readonly ink: string;
  readonly quiet: string;
  readonly grid: string;
  readonly surface: string;
  readonly veil: string;
  readonly accent: string;
  readonly bad: string;
  readonly font: string;
  readonly names: Readonly<Record<StackKind, string>>;
  /** Two colours of each kind, for parts that are next to each other. */
  readonly kinds: Readonly<Record<StackKind, readonly [string, string]>>;
}

/** Reads the colours that the page has now, dark or light. */
export function palette(): Palette {
  // A canvas does not read `light-dark()`, so an element shows which of the two colours the page has.
  const probe = document.body.appendChild(document.createElement("i"));
  const style = getComputedStyle(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(${name})`;
    return style.color;
  };
  const found = coloursFrom(colour, style.fontFamily);
  probe.remove();
  return found;
}

function coloursFrom(colour: (name: string) => string, fontFamily: string): Palette {
  return {
    ink: colour("--ink"),
    quiet: colour("--quiet"),
    grid: colour("--grid"),
    surface: colour("--surface"),
    veil: colour("--veil"),
    accent: colour("--accent"),
    bad: colour("--bad"),
    font: `11px ${fontFamily}`,
    names: kindNames,
    kinds: Object.fromEntries(
      stackKinds.map((kind) => [kind, [colour(`--${kind}`), colour(`--${kind}-2`)]]),
    ) as unknown as Palette["kinds"],
  };
}

/** The colour of the part at a place among those of its kind. */
export function kindColours({ kinds }: Palette, kind: StackKind, place: number): string {
  const [one, other] = kinds[kind];
  return place % 2 === 0 ? one : other;
}
