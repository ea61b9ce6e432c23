import {
  areSameRanges,
  defined,
  type LineRange,
  madeOnce,
  type ObjectId,
  withRange,
} from "@self-context-manager/objects";
import type { CallTime } from "../policy/activation-policy.ts";
import type { StatePart } from "./state-part.ts";

/** The activation of an object. */
export interface Activation {
  /** The time at which the object last arrived, was read or was activated. */
  readonly used: CallTime;
  /** The model or the user asked for the object, so it is not trimmed. */
  readonly asked?: true;
  /** The version of a file that is shown; undefined: the newest. */
  readonly version?: number;
  /** The lines that are shown, in order and without an overlap; undefined if all are. */
  readonly ranges?: readonly LineRange[];
}

/** The part of an object to activate, and why. */
interface ActivationRequest {
  readonly used: CallTime;
  /** Whether the model or the user asked for the object. */
  readonly isAsked: boolean;
  /** The lines to add to those that are shown; undefined: all lines. */
  readonly range?: LineRange;
  /** The version of a file to show. Lines of another version are no longer active then. Default: the present one. */
  readonly version?: number;
  /** Whether the object becomes the newest one, and shows nothing but this part. Default: false. */
  readonly replaces?: boolean;
}

/** The objects whose content is shown, in the order of activation, and those that no policy removes. */
export interface ActiveSets extends StatePart {
  readonly activations: ReadonlyMap<ObjectId, Activation>;
  readonly pinned: ReadonlySet<ObjectId>;
  /**
   * The objects that became active after the last view was sent, because a result arrived or somebody asked for them. The
   * policy keeps them until the model has got them. They are not stored.
   */
  readonly unsent: ReadonlyMap<ObjectId, "arrived" | "asked">;
  readonly size: number;
  get(id: ObjectId): Activation | undefined;
  has(id: ObjectId): boolean;
  /** Activates an object or records its use. Returns whether it became active now or was active already. */
  activate(id: ObjectId, request: ActivationRequest): "now" | "already";
  /** Sets what is shown of an object. */
  show(id: ObjectId, activation: Activation): void;
  /** Makes an object inactive and unpins it. Returns whether it was active. */
  leave(id: ObjectId): boolean;
  /** Pins an object. Returns whether it was not pinned before. */
  pin(id: ObjectId): boolean;
  /** Unpins an object. Returns whether it was pinned. */
  unpin(id: ObjectId): boolean;
  /** Notes that a view with all active objects is sent. */
  noteSent(): void;
  /** Notes that the model has answered, so it has seen all results that arrived before. */
  noteAnswer(): void;
  /**
   * Notes that objects became active because a result arrived. `isSeen`: the model has answered since. `before`: the
   * objects that had become active earlier.
   */
  noteArrived(before: ReadonlySet<ObjectId>, isSeen: boolean): void;
  /** Replaces the sets by those of a stored session. `isThere`: whether the pool has an object with content. */
  restore(stored: StoredSets, isThere: (id: ObjectId) => boolean): void;
}

/** The stored form of an activation. */
export type StoredActivation = {
  readonly turn: number;
  readonly call: number;
  readonly asked?: true;
  readonly version?: number;
  readonly ranges?: readonly LineRange[];
};

/** The stored form of the sets. `active_set` can contain locked objects, which have no activation. */
export interface StoredSets {
  readonly active_set: readonly ObjectId[];
  readonly pinned_set: readonly ObjectId[];
  readonly activations: Readonly<Record<string, StoredActivation>>;
}

/** Returns empty sets. */
export function activeSets(): ActiveSets {
  const activations = new Map<ObjectId, Activation>();
  const pinned = new Set<ObjectId>();
  const unsent = new Map<ObjectId, "arrived" | "asked">();
  let isChanged = false;

  function show(id: ObjectId, activation: Activation): void {
    activations.set(id, activation);
    isChanged = true;
  }

  return {
    activations,
    pinned,
    unsent,
    get size() {
      return activations.size;
    },
    get isChanged() {
      return isChanged;
    },
    noteStored() {
      isChanged = false;
    },
    get: (id) => activations.get(id),
    has: (id) => activations.has(id),
    activate(id, { used, isAsked, range, replaces = false, ...rest }) {
      const last = activations.get(id);
      if (replaces) activations.delete(id);
      const known = replaces ? undefined : last;
      const version = rest.version ?? known?.version;
      const isSameVersion = known !== undefined && known.version === version;
      const shown = withRange(isSameVersion ? known.ranges : [], range);
      const asked = isAsked || known?.asked === true ? ({ asked: true } as const) : {};
      if (isAsked || !unsent.has(id)) unsent.set(id, isAsked ? "asked" : "arrived");
      const isSame =
        isSameVersion &&
        (known.asked === true || !isAsked) &&
        areSameRanges(known.ranges, shown) &&
        known.used.turn === used.turn &&
        known.used.call === used.call;
      if (isSame) return "already";
      show(id, { used, ...defined({ version, ranges: shown }), ...asked });
      return last === undefined ? "now" : "already";
    },
    show,
    leave(id) {
      const wasActive = activations.delete(id);
      const wasPinned = pinned.delete(id);
      unsent.delete(id);
      if (wasActive || wasPinned) isChanged = true;
      return wasActive;
    },
    pin(id) {
      if (pinned.has(id)) return false;
      pinned.add(id);
      isChanged = true;
      return true;
    },
    unpin(id) {
      const wasPinned = pinned.delete(id);
      if (wasPinned) isChanged = true;
      return wasPinned;
    },
    noteSent() {
      unsent.clear();
    },
    noteAnswer() {
      for (const [id, why] of unsent) if (why === "arrived") unsent.delete(id);
    },
    noteArrived(before, isSeen) {
      for (const id of unsent.keys()) {
        if (before.has(id)) continue;
        if (isSeen) unsent.delete(id);
        else unsent.set(id, "arrived");
      }
    },
    restore(stored, isThere) {
      activations.clear();
      pinned.clear();
      isChanged = true;
      for (const id of stored.active_set) {
        const row = stored.activations[id];
        if (row !== undefined && isThere(id)) activations.set(id, activationOf(row));
      }
      for (const id of stored.pinned_set) if (activations.has(id)) pinned.add(id);
    },
  };
}

function activationOf({ turn, call, ...shown }: StoredActivation): Activation {
  return { used: { turn, call }, ...shown };
}

/**
 * The stored rows of activations. Most activations do not change from version to version, so their rows are made once.
 */
const activationRows = new WeakMap<Activation, StoredActivation>();

/** Returns the stored form of an activation. */
export function activationRow(activation: Activation): StoredActivation {
  return madeOnce(activationRows, activation, ({ used: { turn, call }, version, ranges, asked }) =>
    Object.freeze({ turn, call, ...defined({ version, ranges, asked }) }),
  );
}
