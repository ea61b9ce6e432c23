import type { ThinkingBinding } from "@self-context-manager/core/host";
import type { JsonObject, JsonValue } from "@self-context-manager/objects";

import type { ModelRequest, ScriptedModel } from "./model-request.ts";

export interface HostOptions {
  readonly model: ScriptedModel;
  /** The initial files of the working folder, by path. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /**
   * `managed`: the adapter works. `off`: the adapter is installed, but the user has switched it off. `absent`: the
   * harness without the adapter. An extension that only observes can be installed instead.
   */
  readonly adapter: "managed" | "off" | "absent";
  /** The store cannot be used until `setBroken(false)` is called. */
  readonly brokenStore: boolean;
  /** The host shortens its list of messages after every run, as it does by itself when its context window is full. */
  readonly compactsEagerly: boolean;
  readonly settings: HostSettings;
  /** Another extension, which the host runs before the adapter. Default: none. */
  readonly other?: OtherExtension;
  /** Whether the model binds its thinking, and the host's model data or the model's name show it. */
  readonly thinking: ThinkingBinding;
}

/**
 * The settings of the host's sessions. `defaults`: those that a user gets who sets nothing. The two others have the
 * `window` policy with the numbers of the specification, and dead content leaves the view with the next call.
 * `specification`: the epoch layout with `small: 0` and `deactivate: "immediate"`, in which every content has a header
 * and a fence, even a short one. `pooled`: the pooled layout.
 */
export type HostSettings = "defaults" | "specification" | "pooled";

/** What another extension of the host does, whether the adapter is installed or not. */
export interface OtherExtension {
  /** Returns the text that replaces the text of a result of the host's own tools. */
  resultText?(text: string): string;
  /** Whether it leaves a message with this text out of the next request. */
  leavesOut?(text: string): boolean;
  /** Returns the text of a user's message that it adds at the end of the next request; undefined: none. */
  adds?(): string | undefined;
  /** Returns what it appends to the text of the user's newest message in the next request; undefined: nothing. */
  appends?(): string | undefined;
}

/** Lines of a file. */
export interface HostLines {
  /** The first line, counted from 1. */
  readonly offset: number;
  /** The number of lines. */
  readonly limit: number;
}

/** A call of one of the host's own tools. */
export interface HostCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The calls of the host's own tools that the scenarios need. Paths are relative to the working folder. */
export interface HostCalls {
  /** Reads a file, or some lines of it, with the host's usual tool for reading files. */
  read(path: string, lines?: HostLines): HostCall;
  /** Prints a file's text with another tool, whose outputs the adapter only observes. */
  show(path: string): HostCall;
  /** Prints a file's text and fails. */
  fail(path: string): HostCall;
  /** Returns the image in a file. */
  picture(path: string): HostCall;
  /** Writes a file. */
  write(path: string, text: string): HostCall;
}

/**
 * A real harness with the adapter and a scripted model, in a separate working folder and on a separate store. The
 * sessions have the requested settings.
 */
export interface HarnessHost extends AsyncDisposable {
  readonly calls: HostCalls;
  readonly settings: HostSettings;
  /** All requests up to now, in order. */
  readonly requests: readonly ModelRequest[];
  /** The notifications that the adapter has shown to the user up to now, outside the messages. */
  readonly notices: readonly string[];
  /**
   * Sends a user message. Resolves when the run has ended. Rejects if the run failed, except when the model's answer
   * was scripted to fail or to be refused.
   */
  prompt(text: string, images?: readonly string[]): Promise<void>;
  /** The host's own record of the session, without the values that differ between any two runs. */
  record(): Promise<JsonValue>;
  /** Ends the host with its adapter, and continues the same session on the same store, as a new process would. */
  restart(): Promise<void>;
  /**
   * Makes the store unusable, or usable again, while the host runs. `silent`: it does not answer until this is called again.
   */
  setBroken(broken: boolean | "silent"): void;
  /** Switches the adapter on or off, as the user does. */
  turn(on: boolean): Promise<void>;
  /** Writes a file of the working folder without the host's tools. */
  writeFile(path: string, text: string): Promise<void>;
  /** Adds a message of a kind that only the host understands. */
  addOwnMessage(text: string): Promise<void>;
  /**
   * Changes the fields of recorded messages that the host or a provider changes between two requests, such as the usage
   * of answers and marks for the provider's cache. The next request has the changed messages. A host that changes no
   * recorded message does nothing.
   */
  changeUsage(): Promise<void>;
  /** Returns the newest versions of the system prompts in the store, as `instruction` of a request shows them. */
  systemPrompts(): Promise<readonly string[]>;
  /** Returns all versions in the store, each as JSON. */
  storedTexts(): Promise<readonly string[]>;
  /** Returns the hashes of requests that the store has, for a host that shows its requests. */
  requestHashes(): Promise<readonly string[]>;
  /** Returns the hashes of the requests as the provider got them, in order, for a host in which the driver sees them. */
  sentHashes?(): readonly string[];
  /** Goes back to the point before a user prompt. `prompt` is its index, from 0. */
  goBack(prompt: number): Promise<void>;
  /** Continues in a copy of the session, with the same messages and an id of its own. */
  fork(): Promise<void>;
  /** Has the host shorten its list of messages, as when the user asks for it. */
  compact(): Promise<void>;
  /** Archives the chat, as the user or the program that runs the host does. */
  archive(): Promise<void>;
  /** Returns how often the host has shortened its list. */
  compactions(): Promise<number>;
}

/** Opens a new host with an empty session. */
export type OpenHost = (options: HostOptions) => Promise<HarnessHost>;

/** Tests one law with new hosts. Throws if the law is broken. */
export type HarnessScenario = (openHost: OpenHost) => Promise<void>;
