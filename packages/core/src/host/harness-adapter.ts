/**
 * Declares how a harness is connected with the context manager. The connection itself uses the host's own means: an
 * extension, a plugin or a wrapper of its hooks. All adapters share this declaration, the calls of `ContextSession`
 * that they make, and the laws below, which are tested on the running host.
 *
 * Each law has a scenario with the same key in `@self-context-manager/testkit`. The laws are tested with the settings
 * that a user gets who sets nothing, with the epochs of the specification, which remove dead content at once, and with
 * the pooled layout. When content leaves the view is a law of the layout.
 *
 * Laws:
 *
 * - `results-are-references`: the model gets each tool result as a line with a handle. A content follows the line only
 *   where the layout shows active contents there.
 * - `active-content-is-shown`: the contents of exactly the active objects reach the model, each once.
 * - `read-shows-the-file-once`: the content of a file that was read several times is shown once, as it was last read.
 * - `written-file-is-refreshed`: after the host's own tool wrote an active file, the model gets only the new content,
 *   or it gets the call that wrote it with a line that the version above is replaced.
 * - `stand-ins-are-not-written`: a call that would write an argument stub or an omission mark into a file does not run,
 *   whatever handle it names. Its result reports the reason. A file that contains the same one already can keep it.
 * - `secrets-are-marks`: of what looks like a credential in the host's messages and in files, the store has marks only.
 *   Each request has the text as the host has it, also after a restart, and a text that quotes a mark stays as it is.
 * - `deactivated-is-gone`: a deactivated object does not become active again by itself, neither on later turns nor on
 *   resume.
 * - `pinned-stays`: a pinned object stays active beyond the policy's window, on later turns and on resume.
 * - `activate-brings-back`: `activate` shows any object again that left the view by the model's call or by the policy.
 * - `opened-is-as-it-was`: `activate chat` with a turn shows the user's words and all arguments of the turn as they were,
 *   and `deactivate chat` closes it.
 * - `pairing-is-legal`: every tool call has exactly one result, directly after it and in order, whether the call
 *   succeeded, failed or was interrupted.
 * - `repeated-ids-are-other-calls`: calls with the same id are different calls. Each has its own result, in order, and a
 *   request contains each id once, the same after a resume.
 * - `failed-answers-follow-the-host`: later requests contain an incomplete answer exactly when the host alone would
 *   send it.
 * - `images-survive`: the user's images and those of tools reach the model byte for byte, also on resume.
 * - `newest-user-message-is-there`: every request contains all user messages so far, each once and in order.
 * - `instruction-is-constant`: the system prompt and the tools are the same bytes in every request. The system prompt
 *   contains the standing instruction once.
 * - `system-prompts-are-recorded`: the store has the whole text of the system prompt that the model gets: the host's part
 *   and the context manager's.
 * - `requests-have-their-hash`: the store has, with each answer to a view, the hash of the request that the provider got.
 *   Each request has another one. Where the driver sees what the provider gets, it is compared.
 * - `reasoning-is-kept`: a model that does not bind its thinking gets the same thinking as from the host alone.
 * - `signed-thinking-stays-valid`: for a model that binds its thinking to everything before it, a request contains signed
 *   thinking only after the system prompt, the tools and the messages after which it was made.
 * - `unknown-messages-pass`: a message of a kind that only the host understands reaches the model as the host sends it,
 *   at its place.
 * - `host-record-is-untouched`: the host stores the same record as without the context manager, except the results of
 *   the context tools and the state that the adapter keeps with results (decision D51).
 * - `details-are-recorded`: the host's record of each result of a context tool contains the details by which a session
 *   can repeat the effect.
 * - `failure-lets-through`: while the store cannot be used, the model gets the host's messages unchanged, except for signed
 *   thinking that it would refuse, and runs end normally. When the store can be used again, the messages of that time are ingested.
 * - `failure-is-notified-once`: the user is notified of such a failure once.
 * - `silent-store-delays-nothing`: after such a failure, a run ends without waiting for a store that does not answer.
 * - `off-switch-passes-through`: while the context manager is switched off, the host sends the same requests as without
 *   it, except for signed thinking that the model would refuse. When it is switched on again, the messages of that time are ingested.
 * - `resume-is-identical`: a session that was closed and resumed sends the same bytes as an uninterrupted one.
 * - `resent-messages-are-known`: a message that the host sends again with other usage, or other marks for the provider's
 *   cache, is the same message.
 * - `branch-is-followed`: after the user went back, the model sees nothing of the abandoned branch.
 * - `beginning-is-followed`: after the user went back to the beginning, the model sees nothing of what followed. The list
 *   shows this only together with the host's report (`rewound`).
 * - `fork-keeps-contents`: a session that begins as a copy of another one shows the same contents, also of files that a
 *   tool of any name has read. What was deactivated stays inactive, and what is pinned stays pinned.
 * - `compaction-keeps-the-view`: if the host shortens its own list, the model's view does not change.
 * - `results-are-as-given`: a text that another extension has replaced in a tool's result reaches the model in no way, and
 *   the replacement reaches it. The request after a batch of calls has every result, however many there are.
 * - `request-changes-are-followed`: a message that another extension adds to one request, or appends to a user's message
 *   of it, is in that request and in no other; one that it leaves out of a request is not in that request.
 * - `no-more-than-the-host`: the messages of a request have at most 3 % and 200 tokens more than the host alone sends, also
 *   with single ranges of a file. For a file that changes behind the model's back there is at most 400 tokens more.
 * - `refusal-lowers-the-budget`: after the provider refused a prompt as too long, the next prompt is accepted.
 * - `compaction-by-the-user-frees`: if the user has the host shorten its list, the contents of the replaced messages leave
 *   the view, except the pinned ones.
 * - `archived-is-named`: after an archive of the chat, a line names the archived chat, and the model sees nothing else of its
 *   turns, except pinned objects, until it opens them or the user goes back to before the archive.
 */
export interface HarnessAdapter {
  readonly specification: "harness-1";
  /** The harness as sessions are stored under its name. */
  readonly harness: string;
  readonly supports: HarnessSupports;
}

/**
 * The features that a host offers to its adapter. An adapter declares missing features here, and core has no special
 * case for a host.
 */
export interface HarnessSupports {
  /** A hook decides, before each request, which messages the model gets. Without it sessions are only recorded. */
  readonly contextAssembly: boolean;
  /** Tools can be added to the host's own tools. */
  readonly toolRegistration: boolean;
  /** Before one of its own tools runs, the host asks a hook, which can stop the call with a reason for the model. */
  readonly toolGate: boolean;
  /** The host reports the results of its own tools. */
  readonly toolEvents: boolean;
  /** Sessions have ids that stay the same when they are resumed. */
  readonly sessionIds: boolean;
  /** Text can be added to the system prompt. */
  readonly instructions: boolean;
  /** Messages carry images. */
  readonly images: boolean;
  /** The host keeps messages of its own kinds and sends them to the model in its own form. */
  readonly ownMessages: boolean;
  /** The user can go back to an earlier point of a session. The host signals this or sends a list that diverges. */
  readonly branches: boolean;
  /** A session can begin as a copy of another session's messages, with an id of its own. */
  readonly forks: boolean;
  /** Before the host shortens its list of messages by itself, it asks for a summary. */
  readonly compactionHook: boolean;
  /** The host can replace earlier messages of its list by a summary of its own, for example when the user asks for it. */
  readonly summaries: boolean;
  /** The adapter can show the user a message outside the chat. */
  readonly notices: boolean;
  /**
   * Other extensions can change tool results and the list of a request. The adapter gets both as changed, and can tell
   * which messages others have added to the list and left out of it.
   */
  readonly otherExtensions: boolean;
  /** The host shows the provider's error for a request that was refused. */
  readonly requestErrors: boolean;
  /** Answers contain the signed thinking of their provider, and the host sends it again. */
  readonly signedThinking: boolean;
  /** The host shows each request in the form in which the provider gets it. */
  readonly requestPayloads: boolean;
}

/** A host that lacks nothing. An adapter declares this with the fields that its own host lacks. */
export const fullSupport: HarnessSupports = {
  contextAssembly: true,
  toolRegistration: true,
  toolGate: true,
  toolEvents: true,
  sessionIds: true,
  instructions: true,
  images: true,
  ownMessages: true,
  branches: true,
  forks: true,
  compactionHook: true,
  summaries: true,
  notices: true,
  otherExtensions: true,
  requestErrors: true,
  signedThinking: true,
  requestPayloads: true,
};
