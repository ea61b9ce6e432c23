import type { JsonObject, JsonValue } from "@self-context-manager/objects";

import type { ModelRequest, ScriptedModel } from "./model-request.ts";

export interface HostOptions {
  readonly model: ScriptedModel;
  /** The files of the working folder to begin with, by path. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /**
   * `managed`: the adapter works. `off`: it is there, and the user has switched it off. `absent`: in its place is
   * something that looks on and changes nothing.
   */
  readonly adapter: "managed" | "off" | "absent";
  /** The store cannot be used until it is mended. */
  readonly brokenStore: boolean;
  /** The host shortens its list of messages after every run, as it does by itself when its window is full. */
  readonly compactsEagerly: boolean;
  readonly layout: HostLayout;
}

/**
 * The layout of the host's sessions: the specification's `pooled` one, or `epoch`, where every content stands in its
 * envelope however short it is (`small: 0`), and what is dead leaves with the next call (`deactivate: "immediate"`).
 */
export type HostLayout = "epoch" | "pooled";

/** A call of one of the host's own tools. */
export interface HostCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** How the model asks the host's own tools for what the scenarios need. Paths are those of the working folder. */
export interface HostCalls {
  /** Reads a file with the tool that people read files with. */
  read(path: string): HostCall;
  /** Prints a file's text with another tool, whose outputs are only observed. */
  show(path: string): HostCall;
  /** Prints a file's text, and fails. */
  fail(path: string): HostCall;
  /** Returns the picture in a file. */
  picture(path: string): HostCall;
  /** Writes a file. */
  write(path: string, text: string): HostCall;
}

/**
 * A real harness with the adapter in it and a scripted model behind it, in a working folder and on a store of its own.
 * Sessions have the layout that is asked for, and the specification's window with its own numbers.
 */
export interface HarnessHost extends AsyncDisposable {
  readonly calls: HostCalls;
  readonly layout: HostLayout;
  /** Every request so far, in order. */
  readonly requests: readonly ModelRequest[];
  /** What the adapter told the user so far, outside the messages. */
  readonly notices: readonly string[];
  /**
   * Has the user say something; resolves when the run has ended, rejects where it ended badly for another reason
   * than that the model's answer was to fail.
   */
  prompt(text: string, images?: readonly string[]): Promise<void>;
  /** What the host itself keeps of the session, without what differs between any two runs. */
  record(): Promise<JsonValue>;
  /** Closes host and store, and opens both again with the same session. */
  restart(): Promise<void>;
  /** Makes the store unusable, or usable again, while the host runs. */
  setBroken(broken: boolean): void;
  /** Switches the adapter on or off as the user does. */
  turn(on: boolean): Promise<void>;
  /** Writes a file of the working folder behind the host's back. */
  writeFile(path: string, text: string): Promise<void>;
  /** Adds a message of the host's own kind with this text. */
  addOwnMessage(text: string): Promise<void>;
  /** Goes back to before the user's prompt of this index, from 0. */
  goBack(prompt: number): Promise<void>;
  /** How often the host has shortened its list. */
  compactions(): Promise<number>;
}

/** Opens a new host with an empty session. */
export type OpenHost = (options: HostOptions) => Promise<HarnessHost>;

/** Tries one law in hosts of its own; throws where the law is broken. */
export type HarnessScenario = (openHost: OpenHost) => Promise<void>;
