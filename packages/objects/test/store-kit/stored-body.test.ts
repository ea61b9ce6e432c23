import { expect, it } from "vitest";
import type { ObjectBody } from "../../src/model/object-body.ts";
import { bulkOf, metadataText, wholeVersion } from "../../src/store-kit/stored-body.ts";
import { deepFreeze } from "../../src/store-kit/stored-form.ts";
import { fileSample } from "../samples.ts";
import { versionOf } from "../store-versions.ts";

it("splits a body into bulk fields and metadata that form the same body in the same order again", () => {
  const { body, ...rest } = versionOf("a", 1, { details: { lines: [1, 2] }, note: "x" });

  const metadata = JSON.parse(metadataText(body)) as ObjectBody;
  const whole = wholeVersion(metadata, bulkOf(body), rest);

  expect(metadata.content).toBe(0);
  expect(JSON.stringify(whole.body)).toBe(JSON.stringify(body));
  expect(whole).toEqual({ body, ...rest });
});

it("freezes a whole version at every depth", () => {
  const { body, ...rest } = versionOf("a", 1, { details: { lines: [1, 2] } });

  const whole = wholeVersion(JSON.parse(metadataText(body)) as ObjectBody, bulkOf(body), rest);

  expect(Object.isFrozen(whole)).toBe(true);
  expect(Object.isFrozen(whole.body["details"])).toBe(true);
  expect(Object.isFrozen(whole.body.provenance)).toBe(true);
});

it("keeps a field named __proto__ as a field", () => {
  const fields = JSON.parse('{"__proto__": {"a": 1}}') as Record<string, never>;
  const body = { ...fileSample(), ...fields };
  Object.defineProperty(body, "__proto__", { value: { a: 1 }, enumerable: true });

  const text = metadataText(body);

  expect(text).toContain('"__proto__":{"a":1}');
});

it("writes the metadata text of a body again as long as the body can change", () => {
  const body: Record<string, unknown> & ObjectBody = { ...fileSample() };
  const before = metadataText(body);

  body["note"] = "new";

  expect(before).not.toContain("note");
  expect(metadataText(body)).toContain('"note":"new"');
  deepFreeze(body);
  expect(metadataText(body)).toBe(metadataText(body));
});
