import { canonicalJson, sha256, toJson } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import type { Block } from "../../src/chat/message.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import type { ViewMessage } from "../../src/view/layout.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession } from "../session/test-session.ts";

const pages = "<< /Type /Page >>";
const pdf: Block = {
  type: "file",
  mediaType: "application/pdf",
  filename: "report.pdf",
  data: Buffer.from(`%PDF-1.4\n${pages}\n${" ".repeat(900_000)}`).toString("base64"),
};
const picture: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const sound: Block = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } };

/** Returns the type and the hash-like end of each block that is not text, because a failure would print megabytes. */
function filesIn(messages: readonly ViewMessage[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role === "opaque" || typeof message.content === "string") return [];
    return message.content.filter(({ type }) => type !== "text" && type !== "toolCall").map(nameOf);
  });
}

function nameOf(block: Block): string {
  const { filename, type } = block;
  const name = typeof filename === "string" ? filename : type;
  return `${name} ${sha256(canonicalJson(toJson(block)))}`;
}

function says(messages: readonly ViewMessage[], text: string): boolean {
  return JSON.stringify(messages).includes(text);
}

describe.each([epochLayout(), pooledLayout])("the user's files in the layout $name", (layout) => {
  const open = async () => await openTestSession({ layout, policy: recentlyUsedPolicy() });

  it("leave a session that is full, and come back unchanged by activate", async () => {
    const opened = await open();
    const history = scriptHistory();
    history.user([{ type: "text", text: "see the report" }, pdf]);
    await history.ingest(opened.session);
    const first = await opened.session.nextView({ contextWindow: 16_000 });
    history.say("seen");
    for (let turn = 0; turn < 40; turn += 1) {
      history.user(`question ${turn} ${"and more words ".repeat(100)}`);
      history.call("bash", { command: `${turn}` }, "an output\n".repeat(300));
      history.say("an answer ".repeat(100));
    }
    history.user("and now");
    await history.ingest(opened.session);

    const { messages, tokens } = await opened.session.nextView({ contextWindow: 16_000 });
    await history.ask("activate", { id: "u1" }, async () => await opened.session.activate("u1"));
    await history.ingest(opened.session);
    const again = await opened.session.nextView({ contextWindow: 16_000 });

    expect(filesIn(first.messages)).toEqual([nameOf(pdf)]);
    expect(filesIn(messages)).toEqual([]);
    expect(says(messages, "and now")).toBe(true);
    expect(says(messages, `question 0 ${"and more words ".repeat(20)}`)).toBe(false);
    expect(tokens.metadata + tokens.chat + tokens.active).toBeLessThan(12_500);
    expect(filesIn(again.messages)).toEqual([nameOf(pdf)]);
    const shown = again.messages.findLast((message) => filesIn([message]).length > 0);
    expect(shown?.role).toBe("user");
  });

  it("leave room for the newest turns, however many they are", async () => {
    const opened = await open();
    const history = scriptHistory();
    for (let turn = 0; turn < 11; turn += 1) {
      history.user([
        { type: "text", text: `picture ${turn}` },
        { ...picture, name: `${turn}` },
      ]);
      history.say("seen");
    }
    for (let turn = 0; turn < 12; turn += 1) {
      history.user(`question ${turn} ${"and more words ".repeat(20)}`);
      history.say(`answer ${turn}`);
    }
    history.user("and now");
    await history.ingest(opened.session);

    const { messages } = await opened.session.nextView({ contextWindow: 24_500 });

    expect(filesIn(messages).length).toBeLessThan(11);
    for (let turn = 0; turn < 12; turn += 1) expect(says(messages, `answer ${turn}`)).toBe(true);
  });

  it("stay in the newest message when only its text is too long", async () => {
    const opened = await open();
    const history = scriptHistory();
    history.user([{ type: "text", text: "a long text ".repeat(8_000) }, pdf]);
    await history.ingest(opened.session);

    const { messages } = await opened.session.nextView({ contextWindow: 16_000 });

    expect(filesIn(messages)).toEqual([nameOf(pdf)]);
    expect(says(messages, "characters not shown")).toBe(true);
  });

  it("stay in the newest message although earlier ones leave", async () => {
    const opened = await open();
    const history = scriptHistory();
    for (const name of ["a", "b", "c"]) {
      history.user([
        { type: "text", text: `file ${name}` },
        { ...pdf, filename: name },
      ]);
      history.say("seen");
    }
    history.user([
      { type: "text", text: "and now" },
      { ...pdf, filename: "d" },
    ]);
    await history.ingest(opened.session);

    const { messages, call } = await opened.session.nextView({ contextWindow: 12_500 });

    expect(filesIn(messages).at(-1)?.[0]).toBe("d");
    expect(filesIn(messages).map((name) => name[0])).not.toContain("a");
    expect(says(messages, "and now")).toBe(true);
    expect(call).toBe(1);
  });

  it("that a tool returned are shown with its output and again by activate", async () => {
    const opened = await open();
    const history = scriptHistory();
    history.user("fetch it");
    history.call("fetch", { url: "x" }, [{ type: "text", text: "two files" }, pdf, sound]);
    await history.ingest(opened.session);

    expect(filesIn((await opened.session.nextView()).messages)).toEqual([
      nameOf(pdf),
      nameOf(sound),
    ]);
    await opened.session.deactivate("t1");
    await opened.session.activate("t1");
    expect(filesIn((await opened.session.nextView()).messages)).toContain(nameOf(pdf));
  });
});
