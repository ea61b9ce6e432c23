/**
 * What connects a harness with the context manager (specification v0 §22.2, §22.8). The connection itself is made with
 * the host's own means: an extension, a plugin, a wrapper of its hooks. What adapters have in common is this
 * declaration, the calls of `ContextSession` that they make, and the laws below, which are tried on the running host.
 *
 * Laws, each a scenario of the same key in `@self-context-manager/testkit`. What they say of contents is tried with the
 * specification's layout and with epochs in which what is dead leaves at once; when it leaves is a law of the layout.
 *
 * Laws:
 *
 * - `results-are-references`: in the place of every tool result the model gets a line with a handle; behind it stands a
 *   content only where the layout shows active contents there.
 * - `active-content-is-shown`: the contents of exactly the active objects reach the model, each once.
 * - `read-shows-the-file-once`: however often a file is read, its content is there once, as it was read last.
 * - `written-file-is-refreshed`: after the host's own tool wrote an active file, the model sees the new content only, or
 *   the call that wrote it with a line which says that the version above is replaced.
 * - `deactivated-is-gone`: what was deactivated does not come back by itself, neither on later turns nor on resume.
 * - `pinned-stays`: a pinned object outlasts the policy's window, on later turns and on resume.
 * - `activate-brings-back`: whatever left, by the model's word or by the policy, is one `activate` away.
 * - `pairing-is-legal`: every tool call has exactly one result, directly after it and in order, whatever became of it.
 * - `failed-answers-follow-the-host`: an answer that broke off is in later requests as often as without us.
 * - `images-survive`: the user's images and those of tools reach the model byte for byte, on resume too.
 * - `newest-user-message-is-there`: every request has all that the user said so far, once and in order.
 * - `instruction-is-constant`: the system prompt, with the standing instruction in it once, and the tools are the same
 *   bytes in every request.
 * - `unknown-messages-pass`: a message of a kind that only the host knows reaches the model as the host sends it, in
 *   its place.
 * - `host-record-is-untouched`: the host keeps what it keeps without us, but for our tools' results and what results
 *   carry for us (decision D51).
 * - `failure-lets-through`: while the store cannot be used, the model gets the host's messages unchanged and runs end
 *   well; when it can be used again, what was missed is taken in.
 * - `failure-is-notified-once`: the user hears of such a failure once.
 * - `off-switch-passes-through`: switched off, the host sends what it sends without us; switched on again, everything
 *   is known.
 * - `resume-is-identical`: a session that was closed and resumed sends the bytes that an uninterrupted one sends.
 * - `branch-is-followed`: after the user went back, the model sees nothing of what was left.
 * - `compaction-keeps-the-view`: where the host shortens its own list, the model's view stays as it was.
 */
export interface HarnessAdapter {
  readonly specification: "harness-1";
  /** The harness as sessions are stored under its name. */
  readonly harness: string;
  readonly supports: HarnessSupports;
}

/** What a host offers to its adapter. What it lacks is declared here, and never special-cased in core. */
export interface HarnessSupports {
  /** A hook decides, before each request, which messages the model gets. Without it sessions are only recorded. */
  readonly contextAssembly: boolean;
  /** Tools can be added to the host's own. */
  readonly toolRegistration: boolean;
  /** The host tells what its own tools returned. */
  readonly toolEvents: boolean;
  /** Sessions have ids that stay the same when they are resumed. */
  readonly sessionIds: boolean;
  /** Text can be added to the system prompt. */
  readonly instructions: boolean;
  /** Messages carry images. */
  readonly images: boolean;
  /** The host keeps messages of kinds of its own, and sends them to the model in a form of its own. */
  readonly ownMessages: boolean;
  /** The user can go back to an earlier point of a session, and the host says so or sends a diverging list. */
  readonly branches: boolean;
  /** Before the host shortens its list of messages by itself, it asks for a summary. */
  readonly compactionHook: boolean;
  /** The adapter can tell the user something outside the messages. */
  readonly notices: boolean;
}
