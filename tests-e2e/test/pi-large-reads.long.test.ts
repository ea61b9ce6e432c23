import { expect, test } from "vitest";

import { endPiVersions } from "../src/pi-versions.ts";
import { readLargeFile } from "../src/trouble/read-large-file.ts";

/** Megabytes that the extension may need in addition, whatever the size of the file. */
const mostAdded = 150;

const reads = endPiVersions.flatMap((pi) => [60, 100].map((megabytes) => ({ pi, megabytes })));

test.each(reads)(
  "a read of 20 lines of a file of $megabytes MB needs little memory, on Pi $pi.version",
  async ({ pi, megabytes }) => {
    const options = { pi, megabytes, pauseMs: 500 };
    const plain = await readLargeFile({ ...options, isManaged: false });

    const managed = await readLargeFile({ ...options, isManaged: true });

    expect(managed.largestMegabytes).toBeLessThanOrEqual(plain.largestMegabytes + mostAdded);
  },
  300_000,
);
