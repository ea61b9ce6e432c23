/** The parts of what is written between the brackets of a wiki link. */
export interface LinkParts {
  readonly name: string;
  readonly heading?: string;
  readonly alias?: string;
}

/** Separates `name#heading|alias`. In a table the bar is written `\|`. */
export function linkParts(raw: string): LinkParts {
  const bar = raw.indexOf("|");
  const target = bar < 0 ? raw : raw.slice(0, raw[bar - 1] === "\\" ? bar - 1 : bar);
  const alias = bar < 0 ? "" : raw.slice(bar + 1).trim();
  const sign = target.indexOf("#");
  const name = (sign < 0 ? target : target.slice(0, sign)).trim();
  const heading = sign < 0 ? "" : target.slice(sign + 1).trim();
  return {
    name,
    ...(heading === "" ? {} : { heading }),
    ...(alias === "" ? {} : { alias }),
  };
}
