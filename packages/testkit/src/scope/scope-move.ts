import * as fc from "fast-check";

/** The workspaces of a history. Nobody works in the last folder. */
export const folders = ["/alpha", "/beta", "/gamma"] as const;

/** How a document names another object. */
export type LinkBy = "id" | "nickname" | "name" | "path";

/** A step in a history of several workspaces with one store. Numbers choose among what exists. */
export type ScopeMove =
  /** A tool of a session writes a note, which links to another object. */
  | {
      readonly type: "write";
      readonly session: number;
      readonly file: number;
      readonly folder: number;
      readonly isShared: boolean;
      readonly link: { readonly to: number; readonly by: LinkBy };
    }
  | { readonly type: "read"; readonly session: number; readonly object: number }
  /** A tool prints a text, and the user says another one. */
  | { readonly type: "print"; readonly session: number }
  /** A program moves a file to another folder. */
  | { readonly type: "move"; readonly object: number; readonly folder: number }
  | { readonly type: "delete"; readonly object: number }
  /** The user of a session names an object, or shares it, or no longer. */
  | { readonly type: "name"; readonly session: number; readonly object: number }
  | {
      readonly type: "share";
      readonly session: number;
      readonly object: number;
      readonly shares: boolean;
    }
  /** A program stores a note without a file. */
  | { readonly type: "note"; readonly isShared: boolean }
  /** A new session of a workspace looks for everything. */
  | { readonly type: "look"; readonly folder: number };

const number = fc.nat({ max: 40 });
const session = fc.nat({ max: 3 });
const folder = fc.nat({ max: folders.length - 1 });
const isShared = fc.boolean();

const move: fc.Arbitrary<ScopeMove> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("write" as const),
      session,
      file: fc.nat({ max: 2 }),
      folder,
      isShared: fc.constantFrom(false, false, false, true),
      link: fc.record({
        to: number,
        by: fc.constantFrom<LinkBy>("id", "nickname", "name", "path"),
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("read" as const), session, object: number }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("print" as const), session }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("move" as const), object: number, folder }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), object: number }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("name" as const), session, object: number }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("share" as const),
      session,
      object: number,
      shares: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("note" as const), isShared }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("look" as const), folder: fc.nat({ max: 1 }) }),
  },
);

const write = {
  type: "write",
  session: 0,
  file: 1,
  folder: 0,
  isShared: false,
  link: { to: 0, by: "id" },
} as const;

/** Histories that random ones seldom have. */
export const rareHistories: readonly (readonly ScopeMove[])[] = [
  // The past of a file that was moved into a workspace.
  [write, write, { type: "move", object: 0, folder: 1 }],
  // The past of a file before another workspace has read it.
  [write, write, { type: "read", session: 2, object: 0 }, write],
  // The past of a file before it was shared.
  [write, write, { type: "share", session: 0, object: 1, shares: true }],
  // A file that was shared once.
  [
    { ...write, isShared: true },
    { type: "look", folder: 1 },
    { ...write, isShared: false },
  ],
];

/** A random history. */
export const scopeHistory: fc.Arbitrary<readonly ScopeMove[]> = fc.array(move, {
  minLength: 4,
  maxLength: 24,
});
