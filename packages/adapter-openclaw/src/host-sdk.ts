import type { CompactParameters, CompactResult, SessionPlace } from "./openclaw-api.ts";
import type { OpenClawMessage } from "./openclaw-messages.ts";

/** The functions of OpenClaw's plugin SDK that the adapter calls. The entry point imports them from the host. */
export interface HostSdk {
  /**
   * Names the run of an agent that the code runs in: the same while a list is assembled and while its texts pass. Undefined if
   * the host does not tell.
   */
  readonly run: () => string | undefined;
  /**
   * Returns what the host's memory adds to the system prompt. With an engine of a plugin, the host leaves it to the engine.
   */
  readonly memoryPrompt: (request: MemoryPromptRequest) => string | undefined;
  /** Reads the messages of a session's transcript. Rejects if it cannot be read. */
  readonly transcript: (session: TranscriptName) => Promise<readonly OpenClawMessage[]>;
  /** Compacts a session as the host does without an engine of a plugin. */
  readonly compact: (parameters: CompactParameters) => Promise<CompactResult>;
}

interface TranscriptName extends SessionPlace {
  readonly sessionId: string;
}

interface MemoryPromptRequest {
  readonly availableTools: ReadonlySet<string>;
  readonly citationsMode?: unknown;
  readonly agentSessionKey?: string;
}
