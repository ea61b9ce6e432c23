// @boundaries-ignore The tests of all packages are configured in one file.
import { unitTests } from "../../tools/unit-tests.ts";

export default unitTests(import.meta.dirname);
