/**
 * A call that begins, with the most that it can cost, or one that has ended, with its cost. In dollars. `call` has the
 * name of its run, which is new for each run of each process.
 */
export type Spending =
  | { readonly call: string; readonly bound: number }
  | { readonly call: string; readonly dollars: number };
