import { adapterOpenClawFaults } from "./adapter-openclaw-faults.ts";
import { coreFaults } from "./core-faults.ts";
import type { FaultyPackage } from "./deliberate-fault.ts";
import { linksFaults } from "./links-faults.ts";
import { objectsFaults } from "./objects-faults.ts";
import { searchFaults } from "./search-faults.ts";
import { storeXtdbFaults } from "./store-xtdb-faults.ts";
import { trackerFaults } from "./tracker-faults.ts";

export const faultyPackages: readonly FaultyPackage[] = [
  { name: "core", faults: coreFaults },
  { name: "links", faults: linksFaults },
  { name: "tracker", faults: trackerFaults },
  { name: "objects", faults: objectsFaults },
  { name: "adapter-openclaw", faults: adapterOpenClawFaults },
  { name: "search", faults: searchFaults },
  { name: "store-xtdb", faults: storeXtdbFaults },
];
