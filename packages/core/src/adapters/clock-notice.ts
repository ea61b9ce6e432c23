import { isTransactionTime, mayFollow } from "@self-context-manager/objects";

/** Returns a function that reads a clock, and returns a text for the user if its time cannot be right. */
export function clockNotice(): (now: number) => string | undefined {
  let latest = 0;
  return (now) => {
    if (!isTransactionTime(now)) return wrongYearText;
    const wasSetBack = now < latest && mayFollow(latest, now);
    latest = Math.max(latest, now);
    return wasSetBack ? setBackText : undefined;
  };
}

const wrongYearText =
  "self-context-manager: the clock of this machine shows a year before 1970 or after 2200. The session continues; its versions get the time of the last one. Set the clock right.";

const setBackText =
  "self-context-manager: the clock of this machine was set back by more than a day. The session continues, and its versions get the clock's time; versions from before can have later times than those that follow them.";
