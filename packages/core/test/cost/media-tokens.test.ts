import { describe, expect, it } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import { calibratedEstimator, rawEstimator } from "../../src/cost/calibrated-estimator.ts";
import { hasFiles, mediaOf } from "../../src/cost/media-facts.ts";
import { mediaTokens } from "../../src/cost/media-tokens.ts";
import { messageTokens } from "../../src/render/message-tokens.ts";

/** The head of a PNG with this size; the rest of the file is missing. */
function png(width: number, height: number): string {
  const head = Buffer.alloc(40);
  head.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  head.write("IHDR", 12);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString("base64");
}

function pdf(pages: number, size = 0): string {
  const objects = Array.from({ length: pages }, () => "<< /Type /Page /Parent 1 0 R >>").join("\n");
  return Buffer.from(`%PDF-1.4\n<< /Type /Pages >>\n${objects}\n${" ".repeat(size)}`).toString(
    "base64",
  );
}

function wav(seconds: number): string {
  const rate = 32_000;
  const file = Buffer.alloc(44 + seconds * rate);
  file.write("RIFF", 0);
  file.writeUInt32LE(rate, 28);
  return file.toString("base64");
}

const pdfBlock: Block = { type: "file", mediaType: "application/pdf", data: pdf(3) };

describe("the file in a block is recognised", () => {
  it.each<readonly [string, Block, unknown]>([
    [
      "of core and Pi",
      { type: "image", data: png(800, 600), mimeType: "image/png" },
      { kind: "image", width: 800, height: 600 },
    ],
    [
      "of Anthropic",
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: pdf(2) },
      },
      { kind: "document", pages: 2 },
    ],
    [
      "of OpenAI, an image",
      { type: "image_url", image_url: { url: `data:image/png;base64,${png(64, 32)}` } },
      { kind: "image", width: 64, height: 32 },
    ],
    [
      "of OpenAI, a file",
      { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf(4)}` },
      { kind: "document", pages: 4 },
    ],
    [
      "of OpenAI, sound",
      { type: "input_audio", input_audio: { data: wav(7), format: "wav" } },
      { kind: "audio", seconds: 8 },
    ],
    [
      "of Google",
      { type: "inlineData", inlineData: { mimeType: "image/png", data: png(10, 10) } },
      { kind: "image", width: 10, height: 10 },
    ],
    ["of the AI SDK", pdfBlock, { kind: "document", pages: 3 }],
    [
      "with a text that the provider reads",
      { type: "file", mediaType: "text/csv", data: Buffer.from("a,b\n1,2\n").toString("base64") },
      { kind: "text", bytes: 9 },
    ],
    [
      "behind a URL",
      { type: "image", image: "https://example.org/a.png" },
      { kind: "image", width: 1_092, height: 1_092 },
    ],
    [
      "that is compressed",
      {
        type: "file",
        mediaType: "application/pdf",
        data: Buffer.alloc(600_000).toString("base64"),
      },
      { kind: "document", pages: 10 },
    ],
    [
      "that the provider has",
      { type: "input_file", file_id: "file-1" },
      { kind: "document", pages: 10 },
    ],
    [
      "of a video",
      { type: "video_url", video_url: { url: "https://x" } },
      { kind: "video", seconds: 60 },
    ],
  ])("%s", (_, block, facts) => {
    expect(mediaOf(block)).toEqual(facts);
  });

  it.each<Block>([
    { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "words" } },
    { type: "file", mediaType: "text/markdown", text: "words" },
    { type: "text", text: "data:image/png;base64,aaaa" },
    { type: "toolCall", id: "c", name: "x", arguments: { mimeType: "image/png" } },
    { type: "thinking", thinking: "an image" },
    { type: "redacted_thinking", data: "aGVsbG8gd29ybGQ=" },
  ])("only in blocks that hold one, not in %j", (block) => {
    expect(mediaOf(block)).toBeUndefined();
    expect(hasFiles([block])).toBe(false);
  });
});

describe("the tokens of a file", () => {
  const image = (width: number, height: number) => ({ kind: "image", width, height }) as const;

  it.each<readonly [string, number, number, number]>([
    // The examples of the providers' pages.
    ["anthropic/claude-sonnet-4-5", 200, 200, 64],
    ["anthropic/claude-sonnet-4-5", 1_092, 1_092, 1_521],
    ["anthropic/claude-opus-4-7", 1_568, 728, 1_456],
    ["openai/gpt-4o", 2_048, 4_096, 1_536],
    ["openai/gpt-4.1-mini", 1_024, 1_024, 1_659],
    ["google/gemini-2.5-pro", 300, 300, 258],
    ["google/gemini-2.5-pro", 1_536, 768, 516],
    ["google/gemini-3-pro", 4_000, 3_000, 1_120],
  ])("of %s are counted by the provider's rule: %i × %i", (model, width, height, tokens) => {
    expect(mediaTokens(image(width, height), model)).toBe(tokens);
  });

  it("never exceed the provider's limit of an image", () => {
    for (const [width, height] of [
      [8_000, 8_000],
      [8_000, 100],
      [3_000, 2_000],
      [1, 1],
    ] as const) {
      expect(mediaTokens(image(width, height), "anthropic/claude-sonnet-4-5")).toBeLessThanOrEqual(
        1_568,
      );
      expect(mediaTokens(image(width, height), "anthropic/claude-opus-4-7")).toBeLessThanOrEqual(
        4_784,
      );
      expect(mediaTokens(image(width, height), "openai/gpt-4o")).toBeLessThanOrEqual(1_700);
      expect(mediaTokens(image(width, height))).toBeGreaterThan(0);
    }
  });

  it("are the largest of the usual rules for an unknown model", () => {
    const facts = image(1_092, 1_092);
    const models = ["anthropic/claude-sonnet-4-5", "openai/gpt-4o", "google/gemini-2.5-pro"];

    expect(mediaTokens(facts, "someone/some-model")).toBe(
      Math.max(...models.map((model) => mediaTokens(facts, model))),
    );
  });

  it("do not grow with the bytes of a PDF whose pages are known", () => {
    const message = (data: string) => ({ role: "user", content: [{ ...pdfBlock, data }] }) as const;
    const small = messageTokens(message(pdf(3)), rawEstimator);
    const large = messageTokens(message(pdf(3, 900_000)), rawEstimator);

    expect(large).toBe(small);
    expect(large).toBeLessThan(15_000);
    const google = calibratedEstimator({ factor: 2, overhead: 0 }, "google/gemini-2.5-pro");
    expect(messageTokens(message(pdf(3)), google)).toBe(4 + 3 * 258);
  });
});
