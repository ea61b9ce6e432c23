import { createHash } from "node:crypto";

import type { ObjectId } from "@self-context-manager/objects";
import type { RebuiltView } from "@self-context-manager/core/inspect";

import type {
  CallAnswer,
  CallMessage,
  GraphAnswer,
  ObjectAnswer,
  SessionAnswer,
  SessionsAnswer,
  SnapshotCall,
  StoreAnswer,
  VersionAnswer,
} from "../answers.ts";
import type { InspectedStore } from "../inspected-store.ts";
import { noScript, type PageFiles, pageFiles, redactedMark, snapshotTitle } from "../page-files.ts";
import { callOf } from "../questions/call-question.ts";
import { inViewOf } from "../questions/in-view.ts";
import { objectAnswer } from "../questions/object-question.ts";
import { failedQuestion } from "../questions/question-error.ts";
import { openQuestions, type Questions } from "../questions/questions.ts";
import { type Redaction, redaction } from "./redaction.ts";
import { graphWithin, objectWithin, partsOfSession } from "./own-objects.ts";
import { callPath } from "./snapshot-call.ts";

export interface SnapshotOptions extends InspectedStore {
  readonly session: ObjectId;
  /** When the snapshot is made (ISO 8601). */
  readonly at: string;
  /** Whether texts are removed, so that only structure, sizes and costs are in the file. Default: false. */
  readonly redact?: boolean;
  /** The script and the style sheet of the page. Default: the built ones of this package. */
  readonly files?: PageFiles;
  /** Called with the number of answers so far, and of all answers as far as they are known. */
  readonly progress?: (done: number, all: number) => void;
  /** Called with each call that is damaged: it may differ from what was sent. */
  readonly damaged?: (call: number) => void;
}

/**
 * Writes a session as one HTML file: the page with all its answers, which needs no server. Yields the text in pieces, so
 * that a long session is not in memory as a whole; only each message is, once.
 */
export async function* writeSnapshot(options: SnapshotOptions): AsyncGenerator<string> {
  const files = options.files ?? (await pageFiles());
  yield headOf(files, options.redact === true);
  yield '<script type="application/json" id="snapshot">';
  for await (const piece of dataOf(options)) yield safeJson(piece);
  yield `</script>\n<script>${inlineScript(files.script)}</script>\n</body>\n</html>\n`;
}

/** Returns JSON in which nothing can end the element that contains it. */
function safeJson(json: string): string {
  return json
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

function headOf({ script, style }: PageFiles, isRedacted: boolean): string {
  if (/<\/style/iu.test(style)) throw new TypeError("the style sheet of the page contains </style");
  const policy = [
    "default-src 'none'",
    `script-src ${hashSource(inlineScript(script))}`,
    `style-src ${hashSource(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${snapshotTitle}</title>${isRedacted ? `\n${redactedMark}` : ""}
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="page"></div>
${noScript}
`;
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** The script in a form that its element cannot end early: `<\\/script` means the same in texts and expressions. */
function inlineScript(script: string): string {
  if (script.includes("<!--")) throw new TypeError("the script of the page contains <!--");
  return script.replaceAll(/<\/(?=script)/giu, "<\\/");
}

/** What the calls of a session showed, collected while they are written. */
interface Shown {
  /** The versions of each object. */
  readonly versions: Map<ObjectId, Set<number>>;
  readonly messages: Map<string, string>;
}

async function* dataOf(options: SnapshotOptions): AsyncGenerator<string> {
  const { session, at, redact = false } = options;
  const redacted = redact ? redaction() : undefined;
  const questions = openQuestions(options, redacted?.nameOf);
  const shown: Shown = { versions: new Map(), messages: new Map() };

  const store = (await questions.ask(["store"])) as StoreAnswer;
  yield `{"format":1,"answers":{"store":${JSON.stringify({
    ...store,
    ...(redact ? { place: "" } : {}),
    snapshot: { at, session, isRedacted: redact },
  } satisfies StoreAnswer)}`;
  const answer = await sessionOf(questions, session, redacted);
  const list: SessionsAnswer = { sessions: [answer.session] };
  yield entry("sessions", list);
  yield entry(`sessions/${encodeURIComponent(session)}`, answer);
  yield* callsOf(options, questions, { answer, shown, redacted });
  yield* objectsOf(options, questions, { answer, shown, redacted });
  yield '},"messages":{';
  let separator = "";
  for (const [hash, json] of shown.messages) {
    yield `${separator}${JSON.stringify(hash)}:${JSON.stringify(json)}`;
    separator = ",";
  }
  yield "}}";
}

function entry(path: string, answer: unknown): string {
  return `,${JSON.stringify(path)}:${JSON.stringify(answer)}`;
}

async function sessionOf(
  questions: Questions,
  session: ObjectId,
  redacted: Redaction | undefined,
): Promise<SessionAnswer> {
  const answer = (await questions.ask(["sessions", session])) as SessionAnswer;
  if (redacted === undefined) return answer;
  const ids = answer.timeline.parts.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const described = await questions.reading.described(ids);
  const names = new Map(
    ids.map((id) => [id, questions.reading.named(id, described.get(id)).name] as const),
  );
  return {
    session: redacted.session(answer.session),
    timeline: redacted.timeline(answer.timeline, names),
  };
}

interface Written {
  readonly answer: SessionAnswer;
  readonly shown: Shown;
  readonly redacted: Redaction | undefined;
}

async function* callsOf(
  { session, progress, damaged }: SnapshotOptions,
  questions: Questions,
  { answer: { session: row }, shown, redacted }: Written,
): AsyncGenerator<string> {
  const history = await questions.reading.history(session);
  let before: CallAnswer | undefined;
  let earlier: RebuiltView | undefined;
  for await (const view of history.verify(1, row.calls)) {
    const { call } = view;
    const found = callOf(session, view, earlier);
    earlier = view;
    if (!view.isVerified) damaged?.(call);
    const answer = redacted === undefined ? found : redacted.call(found);
    for (const { id, version } of found.systemPrompts) addVersion(shown, id, version);
    for (const { id, version } of found.messages.flatMap(({ parts }) => parts))
      if (id !== undefined) addVersion(shown, id, version);
    for (const { hash, json } of answer.messages)
      if (json !== undefined && !shown.messages.has(hash)) shown.messages.set(hash, json);
    yield entry(callPath(session, call), shortened(answer, before));
    before = answer;
    progress?.(call, row.calls);
  }
}

function addVersion({ versions }: Shown, id: ObjectId, version: number): void {
  const known = versions.get(id) ?? new Set();
  versions.set(id, known.add(version));
}

/** Leaves out the messages with which the call before begins, and the JSON of all, which is kept by its hash. */
function shortened(answer: CallAnswer, before: CallAnswer | undefined): SnapshotCall {
  const earlier = before?.messages ?? [];
  let continues = 0;
  while (isContinued(answer.messages[continues], earlier[continues])) continues += 1;
  return {
    ...answer,
    continues,
    messages: answer.messages.slice(continues).map(withoutJson),
  };
}

function withoutJson({ json: _json, ...rest }: CallMessage): CallMessage {
  return rest;
}

function isContinued(one: CallMessage | undefined, other: CallMessage | undefined): boolean {
  if (one === undefined || other === undefined || !one.isShared || one.hash !== other.hash)
    return false;
  return rowText(one) === rowText(other);
}

function rowText({ entry: described, parts, isDamaged }: CallMessage): string {
  return JSON.stringify([described, parts, isDamaged]);
}

async function* objectsOf(
  { session }: SnapshotOptions,
  questions: Questions,
  { answer: { timeline }, shown, redacted }: Written,
): AsyncGenerator<string> {
  const { reading } = questions;
  const stored = (await reading.described([session])).get(session);
  const ids = new Set([
    ...shown.versions.keys(),
    ...timeline.parts.flatMap(({ id }) => (id === undefined ? [] : [id])),
  ]);
  const own = new Set([...ids, session, ...partsOfSession(stored)]);
  for (const id of ids) {
    const path = `objects/${encodeURIComponent(id)}`;
    const object = await answered<ObjectAnswer>(
      async () =>
        objectWithin(
          await objectAnswer(reading, id, async () => await inViewOf(reading, id, session)),
          { own, shown: shown.versions.get(id) ?? new Set() },
        ),
      redacted?.object,
    );
    if (object !== undefined) yield entry(path, object);
    const graph = await answered<GraphAnswer>(
      async () => graphWithin((await questions.ask(["objects", id, "graph"])) as GraphAnswer, own),
      redacted?.graph,
    );
    if (graph !== undefined) yield entry(`${path}/graph`, graph);
    for (const version of shown.versions.get(id) ?? []) {
      const one = await answered<VersionAnswer>(
        async () => await questions.ask(["objects", id, "versions", String(version)]),
        redacted && ((answer) => redacted.version(answer, object?.name)),
      );
      if (one !== undefined) yield entry(`${path}/versions/${version}`, one);
    }
  }
}

/** An answer, redacted if it must be; undefined if the question has none, which the page then says. */
async function answered<Answer>(
  ask: () => Promise<unknown>,
  redact: ((answer: Answer) => Answer) | undefined,
): Promise<Answer | undefined> {
  let answer: Answer;
  try {
    answer = (await ask()) as Answer;
  } catch (error) {
    // A damaged or missing object is no reason to have no snapshot; a store that cannot be read is.
    if (failedQuestion(error).answer.error.code === "NOT_FOUND") return undefined;
    throw error;
  }
  return redact === undefined ? answer : redact(answer);
}
