import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginningOfWidth, pathOfWidth, widthOf } from "../../src/render/name-width.ts";
import { blockHeader } from "../../src/render/content-block.ts";
import { poolLine } from "../../src/render/reference-line.ts";
import { shortName } from "../../src/render/short-name.ts";
import { entrySample, fileSample } from "../samples.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

function graphemesOf(text: string): readonly string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const letters = fc.constantFrom(
  ...graphemesOf("aZ9 ./-_éü한국어보고서文字かなไทยหลวงкйдअनुअक्षि"),
  "e\u0301",
  "한".normalize("NFD"),
  "👩‍👩‍👧‍👦",
  "🇩🇪",
  "🏳️‍🌈",
  "𠮷",
  "ก็",
  `a${"\u0301".repeat(30)}`,
);
const names = fc.array(letters, { minLength: 1, maxLength: 90 }).map((all) => all.join(""));

describe("the width of a name", () => {
  it.each([
    ["a.md", 4],
    ["Übersicht.md", 12],
    ["Übersicht.md".normalize("NFD"), 12],
    ["보고서", 6],
    ["보고서".normalize("NFD"), 6],
    ["ไทย", 3],
    ["👩‍👩‍👧‍👦", 5],
    ["🇩🇪", 2],
  ])("of %j is %i columns", (name, width) => {
    expect(widthOf(name)).toBe(width);
  });

  it("is kept by a cut name, which is made of whole graphemes", () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 3, max: 60 }), (name, width) => {
        for (const cut of [pathOfWidth, beginningOfWidth]) {
          const shown = cut(name, width);

          expect(cut(name, width)).toBe(shown);
          expect(shown.isWellFormed()).toBe(true);
          if (shown === name) continue;
          expect(widthOf(name)).toBeGreaterThan(width);
          expect(
            shown.split("…").reduce((sum, part) => sum + widthOf(part) + 1, -1),
          ).toBeLessThanOrEqual(width);
          const all = graphemesOf(name);
          for (const part of shown.split("…")) {
            const own = graphemesOf(part);
            const starts = all.map((_, index) => all.slice(index, index + own.length).join(""));
            expect([part, own.length === 0 || part === "/" || starts.includes(part)]).toEqual([
              part,
              true,
            ]);
          }
        }
      }),
    );
  });

  it("of both compositions of a name cuts it at the same place", () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 3, max: 60 }), (name, width) => {
        for (const cut of [pathOfWidth, beginningOfWidth])
          expect(cut(name.normalize("NFD"), width).normalize("NFC")).toBe(
            cut(name.normalize("NFC"), width).normalize("NFC"),
          );
      }),
    );
  });
});

describe("a name with letters of any script", () => {
  const ordinary = [
    "Übersicht.md",
    "мои заметки.md",
    "문서/설계 개요.md",
    "보고서/2026년 3분기 실적 보고서.md",
    "보고서/2026년 2분기 실적 보고서.md",
    "资料/项目计划书（最终版）.md",
    "ドキュメント/設計の概要.md",
    "เอกสาร/รายงานประจำปี.md",
    "दस्तावेज़/वार्षिक रिपोर्ट.md",
    "ሰነዶች/ዓመታዊ ሪፖርት.md",
    "مستندات/تقرير سنوي.md",
  ];

  it.each(ordinary.flatMap((name) => [name, name.normalize("NFD")]))(
    "is shown whole in each place: %s",
    (name) => {
      const body = fileSample({ path: `/work/${name}` });
      const entry = entrySample("f1", body);

      expect(shortName("/work", body)).toBe(name);
      expect(blockHeader(entry, "/work", undefined, 0)).toBe(`f1 ${name} v1`);
      expect(poolLine(entry, "/work")).toBe(`f1 ${name} 6`);
    },
  );

  it("is shown with its nickname, and neither leaves the other out", () => {
    const both = entrySample("f1", fileSample({ nickname: "설계 개요 문서의 초안" }));
    const other = entrySample("f1", fileSample({ nickname: "plan", path: "/work/설계 개요.md" }));

    expect(poolLine(both, "/work")).toBe("f1 a.ts (설계 개요 문서의 초안) 6");
    expect(poolLine(other, "/work")).toBe("f1 설계 개요.md (plan) 6");
  });

  it.each([
    [
      "고객사/2026년/계약 관련 문서 모음/최종 검토본/3분기 실적 보고서.md",
      "고객사/2026년/…/3분기 실적 보고서.md",
    ],
    [
      "документация/проекты/2026/внутренние/техническое задание.md",
      "документация/…/техническое задание.md",
    ],
    [
      "고객사/문서/2026년 3분기 해외 법인 실적 보고서.md",
      "…/2026년 3분기 해외 법인 실적 보고서.md",
    ],
    [
      "2026년 3분기 해외 법인 실적과 국내 사업부 실적 비교 보고서 최종.md",
      "2026년 3분기 해외 …비교 보고서 최종.md",
    ],
    [
      "문서/2026년 3분기 해외 법인 실적과 국내 사업부 실적 비교 보고서 최종.md",
      "…/2026년 3분기 해외 …보고서 최종.md",
    ],
  ])("that is too long is cut between words: %s", (name, expected) => {
    const shown = shortName("/work", fileSample({ path: `/work/${name}` }));

    expect(shown).toBe(expected);
    expect(widthOf(shown)).toBeLessThanOrEqual(40);
  });

  it("is cut at the end for a tool call, whose beginning says most", () => {
    const call = {
      type: "toolcall",
      path: null,
      args_display: `bash: "${"자료를 찾는다 ".repeat(9)}"`,
    };

    expect(shortName("/work", fileSample(call))).toBe('bash "자료를 찾는다 자료를 찾는다 …');
  });
});
