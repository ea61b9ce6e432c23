// The cases of every property test: the same in each short run, and by the seed in `SCM_SEED` in a long run.
import { configureGlobal } from "fast-check";

import { testScale } from "../packages/store-contract/src/scale.ts";
import { propertyRuns } from "./property-runs.ts";

configureGlobal({ seed: testScale.seed, numRuns: propertyRuns(100) });
