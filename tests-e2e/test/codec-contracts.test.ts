import { codecContract, scriptedCodecs } from "@self-context-manager/testkit";

import {
  neutralSubject,
  openClawSubject,
  piSubject,
  scriptedSubject,
} from "../src/codec/subjects.ts";

codecContract({ name: "of Pi", ...piSubject });
codecContract({ name: "of OpenClaw", ...openClawSubject });
codecContract({ name: "of core's own form", ...neutralSubject });

for (const [name, codec] of Object.entries(scriptedCodecs))
  codecContract({
    name: `of the scripted harness, messages identified by ${name}`,
    ...scriptedSubject(codec),
  });
