/** A call that begins, with the most that it can cost, or one that has ended, with its cost. In dollars. */
export type Spending =
  | { readonly call: string; readonly bound: number }
  | { readonly call: string; readonly dollars: number };
