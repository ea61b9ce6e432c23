import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";

import { checkPlain } from "../src/codec/codec-contract.ts";
import { withNotices } from "../src/harness/harness-contract.ts";
import type { HarnessHost, OpenHost } from "../src/harness/harness-host.ts";
import { scriptedCodec, scriptedMessage } from "../src/harness/scripted/scripted-codec.ts";

const openHost: OpenHost = async () => {
  // The scenarios use nothing else of the host.
  const host = { notices: ["the store is away", "the store is away"] };
  return await Promise.resolve(host as unknown as HarnessHost);
};
const options = {} as Parameters<OpenHost>[0];

describe("a broken law", () => {
  it("is reported with what the adapter notified the user of, each text once", async () => {
    const error: unknown = await withNotices(async (open) => {
      await open(options);
      assert.fail("the result of a begins with a handle");
    }, openHost).catch((cause: unknown) => cause);

    expect(error).toMatchObject({
      message:
        "the result of a begins with a handle\n\nThe adapter notified the user:\n- the store is away",
      cause: expect.any(assert.AssertionError),
    });
  });

  it("is reported as it is if the user was not notified", async () => {
    const quiet: OpenHost = async (given) => ({ ...(await openHost(given)), notices: [] });

    const error: unknown = await withNotices(async (open) => {
      await open(options);
      assert.fail("broken");
    }, quiet).catch((cause: unknown) => cause);

    expect(error).toBeInstanceOf(assert.AssertionError);
  });
});

describe("messages of a codec's contract", () => {
  const encode = scriptedMessage;

  it("can be plain data", () => {
    expect(() => checkPlain({ codec: scriptedCodec, encode, samples: [] })).not.toThrow();
  });

  it("are refused as instances of a class, with what to do", () => {
    const message = encode({ role: "user", content: "hello" });
    const samples = [Object.assign(Object.create({ kind: "human" }) as typeof message, message)];

    expect(() => checkPlain({ codec: scriptedCodec, encode, samples })).toThrow(
      /is no plain data: let the codec read plain data/u,
    );
  });
});
