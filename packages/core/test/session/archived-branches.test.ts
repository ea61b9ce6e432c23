import * as fc from "fast-check";
import { expect, it } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { Layout } from "../../src/view/layout.ts";
import { answer, prompt } from "../history/host-messages.ts";
import { openTestSession, plainCodec } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

const layouts: readonly Layout[] = [pooledLayout, epochLayout()];

/** What the host and its user do. */
const move = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: "say" as const }) },
  { weight: 2, arbitrary: fc.constant({ type: "archive" as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("go" as const), to: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.constant({ type: "resume" as const }) },
);

/** A place in the tree of the host's messages, after an answer. */
interface Place {
  readonly list: readonly Message[];
  /** The numbers of the archived chats, and the number of messages up to the last one. */
  readonly archives: readonly number[];
  readonly from: number;
}

/** Plays the moves. Returns what views showed and which archives were refused, and what they should. */
async function play(
  layout: Layout,
  moves: readonly { readonly type: string; readonly to?: number }[],
): Promise<{ readonly found: readonly unknown[]; readonly wanted: readonly unknown[] }> {
  const opened = await openTestSession({ layout });
  let { session } = opened;
  const found: unknown[] = [];
  const wanted: unknown[] = [];
  const places: Place[] = [{ list: [], archives: [], from: 0 }];
  let current = 0;
  let isBack = false;
  let time = 0;
  let archived = 0;
  for (const { type, to = 0 } of moves) {
    const place = places[current] as Place;
    if (type === "say") {
      time += 2;
      const asked = [...place.list, prompt(`prompt ${time}`, time)];
      await session.ingest(readList(asked, plainCodec), { rewound: isBack });
      isBack = false;
      found.push(saidIn((await session.nextView()).messages.map(textOfMessage)));
      wanted.push([
        ...place.archives.map((number) => `c${number}`),
        ...asked.slice(place.from).map((one) => textOfMessage(one as never)),
      ]);
      const list = [...asked, answer(`answer ${time}`, time + 1)];
      await session.ingest(readList(list, plainCodec));
      current = places.push({ ...place, list }) - 1;
    } else if (type === "archive" && !isBack) {
      const { ok } = await session.archive();
      found.push(ok);
      wanted.push(place.list.length > place.from);
      if (!ok) continue;
      archived += 1;
      const archives = [...place.archives, archived];
      places[current] = { ...place, archives, from: place.list.length };
    } else if (type === "go") {
      current = to % places.length;
      isBack = true;
    } else if (type === "resume") session = await opened.reopen();
  }
  return { found, wanted };
}

/** Returns the handles that the lines of archives name, the prompts and the answers. */
function saidIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => {
    const handle = /^\[an earlier chat is archived as (c\d+), /u.exec(text)?.[1];
    return handle ?? (/^(?:prompt|answer) /u.test(text) ? text : []);
  });
}

it.each(layouts)("a chat is archived where the user goes, in the layout $name", async (layout) => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 8, maxLength: 30 }), async (moves) => {
      const { found, wanted } = await play(layout, moves);

      expect(found).toEqual(wanted);
    }),
    { numRuns: propertyRuns(400) },
  );
});
