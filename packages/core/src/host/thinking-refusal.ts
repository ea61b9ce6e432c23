/**
 * Whether a provider's error says that it refused the signed thinking of an earlier answer, because something before
 * that answer has changed. Such an error is no reason to lower the budget.
 */
export function isThinkingRefusal(error: string): boolean {
  return /invalid `?signature`? in `?thinking`?/iu.test(error);
}
