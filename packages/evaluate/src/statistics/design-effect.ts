/** The members of one group, such as the runs of one task with all seeds: how many, their sum, and the sum of squares. */
export interface Group {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/**
 * By how much the variance of a mean is larger than that of independent members, because the members of a group are
 * alike; at least 1. Dividing counts by it gives the number of independent members with the same information (Rao and
 * Scott). The estimate is 1 if no group has two members, if there is one group, or if all members are equal: then nothing
 * can be seen of it.
 */
export function designEffect(groups: readonly Group[]): number {
  const filled = groups.filter(({ count }) => count > 0);
  if (filled.length < 2 || filled.every(({ count }) => count === 1)) return 1;
  const total = (of: (group: Group) => number): number =>
    filled.reduce((sum, group) => sum + of(group), 0);
  const count = total((group) => group.count);
  const mean = total((group) => group.sum) / count;
  const independent = total((group) => group.squares) - count * mean ** 2;
  if (independent <= 1e-12) return 1;
  const between = total((group) => (group.sum - mean * group.count) ** 2);
  return Math.max(1, ((filled.length / (filled.length - 1)) * between) / independent);
}
