// The functions of the host that the entry point imports. OpenClaw resolves these names for a plugin.

declare module "openclaw/plugin-sdk/core" {
  export function buildMemorySystemPromptAddition(request: object): string | undefined;
  export function delegateCompactionToRuntime(parameters: object): Promise<never>;
}

declare module "openclaw/plugin-sdk/diagnostic-runtime" {
  export function createDiagnosticTraceContextFromActiveScope(): {
    readonly traceId: string;
    readonly parentSpanId?: string;
  };
}

declare module "openclaw/plugin-sdk/session-transcript-runtime" {
  export function readVisibleSessionTranscriptMessageEntries(
    session: object,
  ): Promise<
    readonly { readonly message: { readonly role: string; readonly [field: string]: unknown } }[]
  >;
}
