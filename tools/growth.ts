/** Milliseconds below which a run is too short to be compared. No run of more than linear time is as short. */
const noise = 30;

/**
 * How often longer a run takes for a size than for a quarter of it: about 4 in linear time and 16 in quadratic time. The
 * processor time of the thread counts, so other work on the machine and in the process changes little.
 */
export function growth(run: (size: number) => void, size: number): number {
  const quarter = Math.round(size / 4);
  run(quarter);
  let least = Number.POSITIVE_INFINITY;
  // A busy machine makes one comparison wrong, but not all of them.
  for (let round = 0; round < 3 && least > linear; round += 1) {
    const small = shortest(() => run(quarter));
    const large = shortest(() => run(size));
    least = Math.min(least, large < noise ? 1 : large / small);
  }
  return least;
}

/** Growth beyond which the time is not linear. */
export const linear = 9;

/** The milliseconds of the shortest of three runs. */
function shortest(run: () => void): number {
  const times = [1, 2, 3].map(() => {
    const start = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
