import type {
  FileSource,
  JsonObject,
  ObjectId,
  StoredMetadata,
  StoredVersion,
} from "@self-context-manager/objects";
import type { ToolFacts } from "../calls/tool-facts.ts";
import type { HostSignals, IngestReport } from "../history/ingest-messages.ts";
import type { HostSession } from "../host/host-session.ts";
import type { ReadList } from "../host/read-list.ts";
import type { SummaryAnswer } from "../host/summarizer.ts";
import type { SummarySpending } from "../state/turn-summaries.ts";
import type { ToolAnswer } from "./answers.ts";
import type { ActivateRange } from "./chosen-range.ts";
import type { FindRequest } from "./find-objects.ts";
import type { SecretsSeen } from "./session-mask.ts";
import type { SessionTool } from "./session-tool.ts";
import type { RefusedRequest } from "./learn-refusal.ts";
import type { ForgetRequest } from "./forget-objects.ts";
import type { ReadRequest } from "./read-file.ts";
import type { SummarizeOptions, SummaryOutcome, TurnToSummarize } from "./summarize-turn.ts";
import type { View, ViewOptions } from "./view-options.ts";

/** An object in the list for the user. */
export interface ListedObject {
  readonly handle: string;
  readonly state: "active" | "pinned" | "inactive";
  /**
   * Whether the last sent view shows its content. The content of an inactive object leaves the view when the epoch
   * ends.
   */
  readonly isInView: boolean;
  readonly stored: StoredMetadata;
}

/** The present state of a session. */
export interface SessionStatus {
  readonly sessionId: ObjectId;
  readonly chatId: ObjectId;
  readonly objects: readonly ListedObject[];
  readonly activeCount: number;
  readonly turnCount: number;
  /** The number of summaries that a model wrote of the turns, and what all its answers have cost. */
  readonly summaries: SummarySpending & { readonly count: number };
}

/** The tool call that an operation belongs to. */
export interface CallOptions {
  /**
   * The provider id of the tool call; undefined if the user asked for the operation. An operation of the user names any
   * object of the store, one of the model only those within its reach (decision D68).
   */
  readonly callId?: string;
}

/** The end of the use of an object. */
export interface DeactivateOptions extends CallOptions {
  /** The note that the object gets. */
  readonly note?: string;
}

/** The call of a tool that wrote a file. */
export interface WriteOptions extends CallOptions {
  /**
   * The arguments of the call as the model wrote them, as in the host's chat. Other extensions of the host can change
   * those with which the tool runs. Default: unknown; then the whole text counts as the model's.
   */
  readonly args?: JsonObject;
}

/**
 * One session of an agent: ingests the messages of the harness, keeps the metadata pool, the chat and the active
 * objects, and makes the views for the model.
 *
 * Operations run one after another. A rejected operation has no lasting effect: the session is read from the store
 * again before the next one. If another process has written to the same session, an operation is repeated on the state
 * which that process stored. Rejects with `StoreError`; `VERSION_CONFLICT` means that the other process committed first
 * a second time.
 *
 * Disposal closes the session: it waits for the operations that run, stops following files and releases the holds of
 * `holdWrite`. The store stays open. Afterwards each operation rejects with `STORE_CLOSED`, and `announceTools` does
 * nothing. A second disposal waits for the first and does nothing more.
 */
export interface ContextSession extends AsyncDisposable {
  readonly host: HostSession;
  /**
   * Whether another process is known to have this session open too: the caller reported it at the opening, or that
   * process committed first since. Each process continues with the messages of its own host.
   */
  readonly isShared: boolean;
  /**
   * Whether this store got the session only now, although the host's history has answers of context tools or summaries
   * of the context manager: they are from a store that was lost, or that is elsewhere. Earlier views and versions are not
   * in this store. A history that only mentions handles is not recognised: other names can look like handles.
   */
  readonly isFromOtherStore: boolean;
  /** The secrets in what came in; undefined if nothing looks for them. */
  readonly secrets?: SecretsSeen;
  /** The agent's working folder, an absolute path. Relative paths of tool calls start here. */
  readonly workspace: string;
  /** Reads the session's files. */
  readonly files: FileSource;
  /** Returns what a call of one of the host's tools does, by the tool's name and the arguments. */
  readonly toolFacts: ToolFacts;
  /**
   * Returns the index after the last message of a host's list that the session knows; 0 if it knows none. For a host
   * without ids and times, a prompt at the end with the same words as an earlier one counts as new if the earlier one had its
   * answer. With `rewound` it counts as the earlier one.
   */
  knownUntil(list: ReadList, signals?: Pick<HostSignals, "rewound">): Promise<number>;
  /**
   * Ingests the host's messages: the whole list, in order, as `readList` returns it. Only messages that the session does not
   * know are stored. If the list does not continue what the session knows, the session follows it: back to an earlier point,
   * or to another branch (decision D52). The list stays unchanged.
   */
  ingest(list: ReadList, signals?: HostSignals): Promise<IngestReport>;
  /**
   * Makes the view of the next model call. The call and its view are recorded, an epoch can end, and objects that the
   * policy or the budget removes become inactive. So it is called once for each request. To look at the view without
   * any of this, use `peekView`.
   */
  nextView(options?: ViewOptions): Promise<View>;
  /**
   * Returns the view that the next model call would get, with the figures of the calls so far. Nothing is recorded as
   * sent, and no object becomes inactive.
   */
  peekView(options?: ViewOptions): Promise<View>;
  /**
   * Ingests the host's messages and makes the view of the next model call: `ingest` and `nextView` in one operation,
   * with one commit less.
   */
  ingestAndView(list: ReadList, options?: ViewOptions & HostSignals): Promise<View>;
  /** Returns the tools by which the model controls its context, bound to this session. */
  tools(): readonly SessionTool[];
  /**
   * Opens a file: it becomes known and active, so its content is in the next view. A refusal (`ok: false`) names the
   * reason, for example that the file is missing or a directory (§18.1).
   */
  read(request: ReadRequest, options?: CallOptions): Promise<ToolAnswer>;
  /**
   * Makes an object active, as a whole or some lines of it: its content is in the next view. `target` is a handle (`f1`,
   * `f1@2` for version 2), an id, a nickname or a path. An unknown or ambiguous name is refused (`ok: false`).
   */
  activate(target: string, range?: ActivateRange, options?: CallOptions): Promise<ToolAnswer>;
  /**
   * Lists what the user wants to be forgotten, or forgets it for good with `isConfirmed` (decision D69): objects of the
   * session, or a text wherever it is in the store. It is no tool of the model.
   */
  forget(request: ForgetRequest): Promise<ToolAnswer>;
  /**
   * Makes an object inactive, also a pinned one. A line with its handle remains in the view; when its content leaves the
   * view is decided by the layout. If the object or its note is refused, nothing changes.
   */
  deactivate(target: string, options?: DeactivateOptions): Promise<ToolAnswer>;
  /** Makes an object active and keeps it so: neither the policy nor the budget makes it inactive. */
  pin(target: string, options?: CallOptions): Promise<ToolAnswer>;
  /** Ends a pin. The object stays active until the policy, the budget or a `deactivate` makes it inactive. */
  unpin(target: string, options?: CallOptions): Promise<ToolAnswer>;
  /**
   * Returns a field of an object as the output of the call: a stored one such as `short_summary`, or one that is derived
   * from a document, such as `front_matter`. Nothing becomes active.
   */
  showField(target: string, field: string, options?: CallOptions): Promise<ToolAnswer>;
  /**
   * Finds objects by words, tag, path, relation and type, among what sessions of this workspace made or saw and what is
   * shared; with `findIn: "store"` among all. The answer is a list with one line for each, and the objects join the pool as
   * inactive (decisions D66, D68).
   */
  find(request: FindRequest, options?: CallOptions): Promise<ToolAnswer>;
  /**
   * Closes the chat and begins a new one in the same session (§20.1). The turns so far, or since the last archive, become an
   * object of type `chat`, which is not locked. From then on the view begins with a line that names it, and has none of these
   * turns. Objects that only they showed become inactive, except pinned ones. The host's messages stay as they are, and are
   * recognised as before. If the user goes back to before this point, the turns are in view again. Refused (`ok: false`) while
   * the newest turn has no last answer, and if nothing was said since the last archive. The session must have the newest
   * answer: a host that passes its list only with the next request ingests it first.
   */
  archive(): Promise<ToolAnswer>;
  /** Adds an object of the store to the pool as inactive, for example a file of another session. */
  load(target: string): Promise<ToolAnswer>;
  /**
   * Returns a whole object of the session or the store, for the user, with its text as the host has it. Nothing changes. Returns a refusal (`ok: false`)
   * for an unknown or ambiguous name.
   */
  inspect(target: string): Promise<StoredVersion | ToolAnswer>;
  /**
   * Sets the nickname of an object, by which the model and the user can name it; an empty nickname removes it (decision
   * D15). A nickname that is taken or not allowed is refused (`ok: false`).
   */
  name(target: string, nickname: string): Promise<ToolAnswer>;
  /**
   * Shares an object with the sessions of all workspaces of the store, or with `isShared: false` no longer (decision D68). A
   * locked object is refused (`ok: false`).
   */
  share(target: string, isShared?: boolean): Promise<ToolAnswer>;
  /**
   * Writes the note of an object: one line in its field `short_summary`, which its lines show and searches find; an empty
   * text removes it (§6.5). A note of more than 60 tokens is refused, and so is one of a locked object (`ok: false`).
   * Without a `callId`, the user wrote it.
   */
  note(target: string, text: string, options?: CallOptions): Promise<ToolAnswer>;
  /**
   * Looks at a file that a tool of the host has just read. If the next messages show its text in the host's own
   * rendering, the file becomes known and active, and its text stands for the result. Nothing is stored before. Call it
   * for a read that failed, too: a known file that is gone is then recorded as missing.
   */
  recordRead(path: string, options: Required<CallOptions>): Promise<void>;
  /**
   * Records that a tool wrote a file. The file joins the pool as inactive; an active file gets its new content
   * (decision D43), as far as the arguments of the call tell it. Text that the model did not write counts as a change
   * by another program.
   */
  recordWrite(path: string, options?: WriteOptions): Promise<void>;
  /**
   * Announces that a tool writes a file. Dispose of the result after `recordWrite`. Until then, changes of the file are
   * attributed to the tool and not reported as those of another program.
   */
  holdWrite(path: string): Promise<AsyncDisposable>;
  /**
   * Checks the arguments of a tool call before it runs. Returns the reason for the model why the call must not run: it
   * would write a stand-in (an argument stub or an omission mark) into a file instead of the text. Returns undefined if
   * the call can run.
   */
  checkArguments(toolName: string, args: JsonObject): Promise<string | undefined>;
  /**
   * Announces the host's own tools, by their names. If one of them reads files, the session asks the model to use it, by
   * its name, for text that it has not shown, because other code of the host can block that tool or hide a part of its
   * result. Of several, the first is named. The setting `activateUnread` takes precedence. It is not stored, so each process
   * announces its tools.
   */
  announceTools(toolNames: readonly string[]): void;
  /**
   * Records that a tool named files. They join the pool as inactive and unread. The call refers to the versions that the
   * files have afterwards: if the tool has changed a known file, to the new one.
   */
  recordNamed(paths: readonly string[], options?: CallOptions): Promise<void>;
  /**
   * Records that the output of a command listed files. Those that the session does not know join the pool as inactive and
   * unread, at most 200 in a turn. The call does not refer to them.
   */
  recordListed(paths: readonly string[]): Promise<void>;
  /**
   * Records a system prompt. Its object gets a new version only if its text has changed. Returns the content of the object:
   * that is what an adapter sends as its own instruction (decision D55).
   */
  recordSystemPrompt(origin: "host" | "own", text: string): Promise<string>;
  /**
   * Records the hexadecimal SHA-256 of the request that the provider got for a call. It is stored with the call's
   * answer. The hash of a call that is not the last one is ignored.
   */
  recordPayload(call: number, sha256: string): Promise<void>;
  /**
   * Records that the provider refused the request of a call. If it refused the prompt as too long, the budget of the
   * call's model is below that prompt from now on, also after a resume. Returns whether it did.
   */
  recordRefusal(refusal: RefusedRequest): Promise<boolean>;
  /**
   * Shows turns whole again in which calls were folded, by the handles of these calls (decision D71): the next view has them,
   * and no later end of an epoch folds them unless the budget needs their room. Returns the numbers of the turns, from 1.
   */
  unfold(handles: readonly string[]): Promise<readonly number[]>;
  /**
   * Returns the newest finished turn that has no summary and is long enough for one, as a model is asked for it; undefined if
   * there is none. The session asks no model itself.
   */
  turnToSummarize(options?: SummarizeOptions): Promise<TurnToSummarize | undefined>;
  /**
   * Stores the summary that a model wrote about a turn, as `turnToSummarize` asked for it, and the notes of the named calls:
   * an object of type `summary` (decision D73). Its short text is shown from the next end of an epoch on. What the answer cost
   * is counted, whatever becomes of it.
   */
  addSummary(
    request: Pick<TurnToSummarize, "key" | "calls">,
    answer: SummaryAnswer,
  ): Promise<SummaryOutcome>;
  /**
   * Rejects with `StoreError` if the store cannot be written now. It waits for no operation of the session and takes almost
   * no time if the store works.
   */
  check(): Promise<void>;
  /** Returns the known objects with their states, and the number of turns. Nothing changes. */
  status(): Promise<SessionStatus>;
}
