import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { html, linkTo } from "../../src/report/html.ts";

describe("markup", () => {
  test("escapes texts, keeps markup and joins lists", () => {
    const items = ["a<b", "c&d"].map((text) => html`<i title="${'"'}">${text}</i>`);

    expect(html`<b>${items}</b>`.markup).toBe(
      '<b><i title="&quot;">a&lt;b</i><i title="&quot;">c&amp;d</i></b>',
    );
  });

  test("has no character of a text that could end an element or an attribute", () => {
    const character = fc.oneof(
      fc.constantFrom("<", ">", '"', "'", "&", "\0", "\u001B", "\u202E", "\uD800"),
      fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code)),
    );
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 30 }), (text) => {
        const { markup } = html`${text}`;

        expect(markup).not.toMatch(/[<>"'\p{Cs}\u202E]|[^\P{Cc}\n\t]/u);
      }),
    );
  });

  test("makes control characters and changes of direction visible", () => {
    expect(html`${"a\u0007b\u202Ec\td"}`.markup).toBe("a\uFFFDb\uFFFDc\td");
  });
});

describe("a link", () => {
  test.each(["runs/a/index.html", "https://example.com/a", "file:///a", "#a"])(
    "leads to %s",
    (address) => {
      expect(linkTo(address, "run").markup).toBe(`<a href="${address}">run</a>`);
    },
  );

  test.each([
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "data:text/html,a",
    "vbscript:a",
    "http://[",
    undefined,
  ])("is only a text for %s", (address) => {
    expect(linkTo(address, "run").markup).toBe("run");
  });

  test("has an escaped address and a label", () => {
    expect(linkTo('a"b', "✓", "run <1>").markup).toBe(
      '<a href="a&quot;b" aria-label="run &lt;1&gt;">✓</a>',
    );
  });
});
