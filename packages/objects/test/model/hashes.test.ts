import { describe, expect, it } from "vitest";
import { createHash } from "node:crypto";
import { canonicalJson } from "../../src/model/canonical-json.ts";
import { grownText } from "../../src/model/growing-text.ts";
import { hashObject, sha256 } from "../../src/model/hashes.ts";
import { objectId } from "../../src/model/object-id.ts";
import { fileSample, staticSample } from "../samples.ts";

/** What `printf %s TEXT | sha256sum` prints. */
const ofText = (text: string): string =>
  createHash("sha256").update(Buffer.from(text)).digest("hex");

const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

describe("the content hash", () => {
  it("is what sha256sum prints for the file's bytes", () => {
    const { content_hash: hash } = hashObject(fileSample({ content: "hello\n" }));

    expect(hash).toBe("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  });

  it("is over UTF-8 bytes", () => {
    const { content_hash: hash } = hashObject(fileSample({ content: "héllo 🌍 \u0000" }));

    expect(hash).toBe(ofText("héllo 🌍 \u0000"));
  });

  it("is that of the empty text for null, which only the object hash tells from an empty text", () => {
    const nothing = hashObject(fileSample({ content: null }));
    const blank = hashObject(fileSample({ content: "" }));

    expect([nothing.content_hash, blank.content_hash]).toEqual([empty, empty]);
    expect(nothing.object_hash).not.toBe(blank.object_hash);
  });

  it("keeps a byte order mark", () => {
    const { content_hash: hash } = hashObject(fileSample({ content: "\uFEFFa" }));

    expect(hash).toBe(sha256("\uFEFFa"));
    expect(hash).not.toBe(sha256("a"));
  });
});

describe("the metadata view hash", () => {
  it("is over the canonical JSON array of the view's values, absent ones null", () => {
    const { metadata_view_hash: hash } = hashObject(fileSample());

    expect(hash).toBe(
      ofText('["0190aaaa-0000-7000-8000-000000000001","file","/work/a.ts","typescript",6,null]'),
    );
  });

  it("is over the fields of a tool call that fixes §5 names", () => {
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

  it("is over the fields that an object's own view names, unknown names left out", () => {
    const body = fileSample({ view: ["char_count", "no_such_field", "type"] });

    expect(hashObject(body).metadata_view_hash).toBe(ofText('[6,"file"]'));
  });

  it("takes a reference in the view without its transaction", () => {
    const chat = (transaction: number): string =>
      hashObject(fileSample({ type: "chat", session_ref: staticSample({ tx_id: transaction }) }))
        .metadata_view_hash;

    expect(chat(1)).toBe(chat(2));
  });
});

describe("the object hash", () => {
  it("is over the canonical JSON of all fields, content included", () => {
    const { object_hash: hash } = hashObject(fileSample());

    expect(hash).toBe(
      ofText(
        '{"char_count":6,"content":"hello\\n","file_type":"typescript",' +
          '"id":"0190aaaa-0000-7000-8000-000000000001","locked":false,"path":"/work/a.ts",' +
          '"presence":"present","provenance":{"generator":"human","origin":"/work/a.ts"},"type":"file"}',
      ),
    );
  });

  it("does not depend on the order of fields, and leaves absent ones out", () => {
    const reversed = Object.fromEntries(Object.entries(fileSample()).toReversed());

    const hash = hashObject({ ...fileSample(), ...reversed, nickname: undefined as never });

    expect(hash.object_hash).toBe(hashObject(fileSample()).object_hash);
  });

  it("does not count hashes that stand in the object already", () => {
    const hashes = hashObject(fileSample());

    expect(hashObject({ ...fileSample(), ...hashes })).toEqual(hashes);
  });

  it("takes references without their transaction, and keeps all else of them", () => {
    const hash = (fields: Parameters<typeof staticSample>[0]): string =>
      hashObject(fileSample({ file_refs: [staticSample(fields)] })).object_hash;

    expect(hash({ tx_id: 9, tx_time: "2030-01-01T00:00:00.000Z" })).toBe(hash({}));
    expect(hash({ object_hash: "0".repeat(64) })).not.toBe(hash({}));
  });

  it("takes what a provider said as it is, though it looks like a reference", () => {
    const hash = (transaction: number): string =>
      hashObject(fileSample({ args: { file: staticSample({ tx_id: transaction }) } })).object_hash;

    expect(hash(1)).not.toBe(hash(2));
  });

  it("is the same whether a frozen part was met as a reference or as foreign data before", () => {
    const shared = Object.freeze(staticSample({ tx_id: 41 }));
    const both = { args: { file: shared }, chat_ref: shared };
    const apart = {
      args: { file: staticSample({ tx_id: 41 }) },
      chat_ref: staticSample({ tx_id: 41 }),
    };

    expect(hashObject(fileSample(both)).object_hash).toBe(
      hashObject(fileSample(apart)).object_hash,
    );
  });

  it("sees every change of a long list, the frozen items that both lists share included", () => {
    const items = Array.from({ length: 200 }, (_, index) => Object.freeze({ index }));
    const hash = (list: readonly { readonly index: number }[]): string =>
      hashObject(fileSample({ list })).object_hash;
    const changed = items.with(20, Object.freeze({ index: 999 }));
    const told = (list: readonly { readonly index: number }[]): string =>
      hashObject(fileSample({ list: list.map((item) => ({ ...item })) })).object_hash;

    expect([hash(items), hash(changed), hash(items.slice(1))]).toEqual([
      told(items),
      told(changed),
      told(items.slice(1)),
    ]);
  });

  it("sees a content that grows, shrinks and branches", () => {
    const long = 'text, \u0000 "quoted" 🌍\n'.repeat(2_500);
    const texts = [long, `${long}more`, `${long}more and more`, "short", `${long}other`, long, ""];

    for (const content of texts) {
      const body = fileSample({ content });

      const hashes = hashObject(body);

      expect(hashes.content_hash).toBe(ofText(content));
      expect(hashes.object_hash).toBe(ofText(canonicalJson(body)));
    }
  });
});

it("of a content that was made by adding to another are those of the whole", () => {
  const long = 'text, \u0000 "quoted" 🌍\n'.repeat(2_500);
  const grown = grownText(long, "mo🌍re");
  const texts = [long, grown, grownText(grown, "!"), grownText(long, "mo🌍rf"), grown, "short"];

  for (const content of texts) {
    const body = fileSample({ content });
    const hashes = hashObject(body);

    expect(hashes.content_hash).toBe(ofText(content));
    expect(hashes.object_hash).toBe(ofText(canonicalJson(body)));
  }
});

describe("hashes of further content fields", () => {
  it("come for summaries and for the fields that the object names", () => {
    const hashes: Readonly<Record<string, string>> = hashObject(
      fileSample({ short_summary: "short", outline: "# a", content_fields: ["outline", "absent"] }),
    );

    expect(hashes["short_summary_hash"]).toBe(ofText("short"));
    expect(hashes["outline_hash"]).toBe(ofText("# a"));
    expect(Object.keys(hashes)).toHaveLength(5);
  });
});
