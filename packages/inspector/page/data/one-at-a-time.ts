/**
 * Returns a function that starts some work, which never rejects. A call during the work lets it end and does it once more,
 * so frequent calls neither pile up nor keep the work from ever ending.
 */
export function oneAtATime(work: () => Promise<void>, signal: AbortSignal): () => Promise<void> {
  let isBusy = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      await work();
    }
    isBusy = false;
  };
}
