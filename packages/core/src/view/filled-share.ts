/**
 * Most of the budget that a view fills after something had to leave for it. The rest is room for the calls that follow, so
 * that the next one does not exceed the budget again. Messages that had to leave return up to the same share.
 */
export const filledShare = 0.75;
