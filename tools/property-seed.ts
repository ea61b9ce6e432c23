// What every property test tries: the same in each short run, what `SCM_SEED` says in a long one.
import { configureGlobal } from "fast-check";

import { testScale } from "../packages/testkit/src/scale.ts";

configureGlobal({ seed: testScale.seed });
