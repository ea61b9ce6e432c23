import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHash } from "node:crypto";
import { grownText } from "../../src/model/growing-text.ts";
import { hashObject } from "../../src/model/hashes.ts";
import { treeText } from "../../src/model/hash-tree.ts";
import { viewFields, viewValues } from "../../src/model/metadata-view.ts";
import { metadataOf } from "../../src/model/object-body.ts";
import { objectId } from "../../src/model/object-id.ts";
import { sha256 } from "../../src/model/sha256.ts";
import { fileSample, staticSample } from "../samples.ts";

/** Returns the hash that `printf %s TEXT | sha256sum` prints. */
const ofText = (text: string): string =>
  createHash("sha256").update(Buffer.from(text)).digest("hex");

const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

describe("the content hash", () => {
  it("equals the output of sha256sum for the file's bytes", () => {
    const { content_hash: hash } = hashObject(fileSample({ content: "hello\n" }));

    expect(hash).toBe("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  });

  it("covers the UTF-8 bytes", () => {
    const { content_hash: hash } = hashObject(fileSample({ content: "héllo 🌍 \u0000" }));

    expect(hash).toBe(ofText("héllo 🌍 \u0000"));
  });

  it("is the same for null and the empty text, which only the object hash distinguishes", () => {
    const nothing = hashObject(fileSample({ content: null }));
    const blank = hashObject(fileSample({ content: "" }));

    expect([nothing.content_hash, blank.content_hash]).toEqual([empty, empty]);
    expect(nothing.object_hash).not.toBe(blank.object_hash);
  });

  it("includes a byte order mark", () => {
    const { content_hash: hash } = hashObject(fileSample({ content: "\uFEFFa" }));

    expect(hash).toBe(sha256("\uFEFFa"));
    expect(hash).not.toBe(sha256("a"));
  });
});

describe("the metadata view hash", () => {
  it("covers the canonical JSON array of the view's values, with null for absent ones", () => {
    const { metadata_view_hash: hash } = hashObject(fileSample());

    expect(hash).toBe(
      ofText('["0190aaaa-0000-7000-8000-000000000001","file","/work/a.ts","typescript",6,null]'),
    );
  });

  it("covers id, type, tool, arguments display and status of a tool call", () => {
    const body = {
      ...fileSample(),
      id: objectId("toolu_1"),
      type: "toolcall",
      tool: "bash",
      args_display: 'bash: "ls"',
      status: "ok",
    };

    expect(hashObject(body).metadata_view_hash).toBe(
      ofText('["toolu_1","toolcall","bash","bash: \\"ls\\"","ok"]'),
    );
  });

  it("covers the fields that an object's own view names, without unknown names", () => {
    const body = fileSample({ view: ["char_count", "no_such_field", "type"] });

    expect(hashObject(body).metadata_view_hash).toBe(ofText('[6,"file"]'));
  });

  it("ignores fields that the metadata lacks, the fields of hashes, and repeated names", () => {
    const view = ["content", "args", "nothing", "short_summary_hash", "type", "note", "type"];
    const body = { ...fileSample({ view, args: { a: 1 }, note: "x" }), nothing: undefined };
    const others = fileSample({ view, args: { a: 2 }, note: "x", content: "other\n" });

    expect(hashObject(body).metadata_view_hash).toBe(ofText('["file","x"]'));
    expect(hashObject(others).metadata_view_hash).toBe(ofText('["file","x"]'));
    expect(hashObject({ ...body, ...hashObject(body) })).toEqual(hashObject(body));
  });

  it("covers exactly the fields that the metadata shows", () => {
    const names = fc.constantFrom("content", "turns", "memory", "note", "size", "toString", "id");
    fc.assert(
      fc.property(fc.array(names), fc.integer(), (view, size) => {
        const body = fileSample({ view, size, turns: [size], note: "n" });
        const shown = viewValues(metadataOf(body));

        expect(hashObject(body).metadata_view_hash).toBe(sha256(treeText(shown)));
        expect(viewFields(metadataOf(body))).toEqual(viewFields(body));
      }),
    );
  });

  it("does not include the transaction of a reference in the view", () => {
    const chat = (transaction: number): string =>
      hashObject(fileSample({ type: "chat", session_ref: staticSample({ tx_id: transaction }) }))
        .metadata_view_hash;

    expect(chat(1)).toBe(chat(2));
  });
});

describe("the object hash", () => {
  it("covers the canonical JSON of all fields, with the hash of the content instead of it", () => {
    const { object_hash: hash } = hashObject(fileSample());

    expect(hash).toBe(
      ofText(
        '{"char_count":6,"content_hash":"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",' +
          '"file_type":"typescript",' +
          '"id":"0190aaaa-0000-7000-8000-000000000001","locked":false,"path":"/work/a.ts",' +
          '"presence":"present","provenance":{"generator":"human","origin":"/work/a.ts"},"type":"file"}',
      ),
    );
  });

  it("does not depend on the order of fields or on undefined fields", () => {
    const reversed = Object.fromEntries(Object.entries(fileSample()).toReversed());

    const hash = hashObject({ ...fileSample(), ...reversed, nickname: undefined as never });

    expect(hash.object_hash).toBe(hashObject(fileSample()).object_hash);
  });

  it("ignores hashes that the object already contains", () => {
    const hashes = hashObject(fileSample());

    expect(hashObject({ ...fileSample(), ...hashes })).toEqual(hashes);
  });

  it("includes all fields of references except their transaction", () => {
    const hash = (fields: Parameters<typeof staticSample>[0]): string =>
      hashObject(fileSample({ file_refs: [staticSample(fields)] })).object_hash;

    expect(hash({ tx_id: 9, tx_time: "2030-01-01T00:00:00.000Z" })).toBe(hash({}));
    expect(hash({ object_hash: "0".repeat(64) })).not.toBe(hash({}));
  });

  it("includes an opaque field unchanged, even if it looks like a reference", () => {
    const hash = (type: string, transaction: number): string =>
      hashObject(fileSample({ type, args: { file: staticSample({ tx_id: transaction }) } }))
        .object_hash;

    expect(hash("toolcall", 1)).not.toBe(hash("toolcall", 2));
    expect(hash("file", 1)).toBe(hash("file", 2));
  });

  it("does not include the state of a file on disk, which holds a time", () => {
    const hash = (type: string, modified: number): string =>
      hashObject(fileSample({ type, disk: { size: 6, modified } })).object_hash;

    expect(hash("file", 1)).toBe(hash("file", 2));
    expect(hash("note", 1)).toBe(hash("note", 2));
    expect(hash("volume", 1)).not.toBe(hash("volume", 2));
  });

  it("does not depend on whether a frozen part was first a reference or foreign data", () => {
    const shared = Object.freeze(staticSample({ tx_id: 41 }));
    const both = { type: "toolcall", args: { file: shared }, chat_ref: shared };
    const apart = {
      type: "toolcall",
      args: { file: staticSample({ tx_id: 41 }) },
      chat_ref: staticSample({ tx_id: 41 }),
    };

    expect(hashObject(fileSample(both)).object_hash).toBe(
      hashObject(fileSample(apart)).object_hash,
    );
  });

  it("changes with a long list, even if most of its frozen items are shared with another list", () => {
    const items = Array.from({ length: 200 }, (_, index) => Object.freeze({ index }));
    const hash = (list: readonly { readonly index: number }[]): string =>
      hashObject(fileSample({ list })).object_hash;
    const changed = items.with(20, Object.freeze({ index: 999 }));
    const hashOfCopy = (list: readonly { readonly index: number }[]): string =>
      hashObject(fileSample({ list: list.map((item) => ({ ...item })) })).object_hash;

    expect([hash(items), hash(changed), hash(items.slice(1))]).toEqual([
      hashOfCopy(items),
      hashOfCopy(changed),
      hashOfCopy(items.slice(1)),
    ]);
  });
});

describe("the hashes of a long text", () => {
  const long = 'text, \u0000 "quoted" 🌍\n'.repeat(2_500);
  const grown = grownText(long, "mo🌍re");

  it.each([
    [
      "grows, shrinks and branches",
      [long, `${long}more`, `${long}more and more`, "short", `${long}other`, long, ""],
    ],
    [
      "was grown by grownText",
      [long, grown, grownText(grown, "!"), grownText(long, "mo🌍rf"), grown, "short"],
    ],
  ])("are those of the whole text if it %s", (_, texts) => {
    for (const content of texts) {
      const body = fileSample({ content });

      const hashes = hashObject(body);

      expect(hashes.content_hash).toBe(ofText(content));
      const { content: _, ...rest } = body;
      expect(hashes.object_hash).toBe(ofText(treeText({ ...rest, content_hash: ofText(content) })));
    }
  });
});

describe("hashes of further content fields", () => {
  it("exist for summaries and for the content fields that the object names", () => {
    const hashes: Readonly<Record<string, string | number>> = hashObject(
      fileSample({ short_summary: "short", outline: "# a", content_fields: ["outline", "absent"] }),
    );

    expect(hashes["short_summary_hash"]).toBe(ofText("short"));
    expect(hashes["outline_hash"]).toBe(ofText("# a"));
    expect(Object.keys(hashes)).toHaveLength(6);
  });
});
