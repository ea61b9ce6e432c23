import { epochLayout, type EpochSettings, pooledLayout } from "@self-context-manager/core";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { layoutContract } from "@self-context-manager/testkit";

import { epochSubject, smallSizes } from "../src/layout/epoch-subject.ts";

const epochSettings: Readonly<Record<string, Partial<EpochSettings>>> = {
  epoch: {},
  "epoch, of small sizes": smallSizes,
};

/** Settings that differ little from the others. */
const furtherSettings: typeof epochSettings = {
  "epoch, that removes dead content at once": { ...smallSizes, deactivate: "immediate" },
  "epoch, that removes replaced content at once": { ...smallSizes, superseded: "at-once" },
  "epoch, plain": { ...smallSizes, trim: undefined, largeArguments: undefined },
};

const tried = { ...epochSettings, ...(runsEveryForm("core") ? furtherSettings : {}) };

layoutContract({ name: "pooled", layout: pooledLayout, hasPool: true });

for (const [name, settings] of Object.entries(tried)) {
  layoutContract({ name, layout: epochLayout(settings), epochs: epochSubject(settings) });
}
