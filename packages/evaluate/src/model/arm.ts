/** One way to run a task: a host with or without managed context, and its settings. */
export interface Arm {
  /** A short name for tables and folders: `plain`, `default`, `no-folds`. */
  readonly name: string;
  /** One sentence for reports. */
  readonly title: string;
  readonly isManaged: boolean;
  /** The variables of the context manager, such as `SCM_SETTING`. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Context tools that the model does not get. A host that needs a tool in its list, as all need `activate` to show anything
   * but the plain messages, offers it and refuses its calls.
   */
  readonly withoutTools?: readonly string[];
  /** Tokens of a prompt above which the host compacts by itself. Absent: the host's default. */
  readonly compactsAt?: number;
  /** The npm name of another extension that is loaded, with its version: `pi-context@1.2.3`. */
  readonly extension?: string;
}
