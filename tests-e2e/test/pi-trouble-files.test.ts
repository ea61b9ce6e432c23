import { changedFiles } from "../src/trouble/scenarios/changed-files.ts";
import { encodings } from "../src/trouble/scenarios/encodings.ts";
import { growingFiles } from "../src/trouble/scenarios/growing-files.ts";
import { ownEdits } from "../src/trouble/scenarios/own-edits.ts";
import { ranges } from "../src/trouble/scenarios/ranges.ts";
import { secretTexts } from "../src/trouble/scenarios/secrets.ts";
import { troubleTests } from "../src/trouble/trouble-tests.ts";

troubleTests([
  ...ranges,
  ...growingFiles,
  ...encodings,
  ...changedFiles,
  ...ownEdits,
  ...secretTexts,
]);
