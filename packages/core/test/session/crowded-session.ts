import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, type TestSession } from "./test-session.ts";

/** Some fifty words. */
export const paragraph: string = "All work and no play makes a dull context window. ".repeat(20);

export interface CrowdedSession extends TestSession {
  readonly history: ScriptedHistory;
}

/** A session with a chat, outputs and files of some length. */
export async function crowdedSession(): Promise<CrowdedSession> {
  const opened = await openTestSession({ files: { "/work/a.txt": paragraph } });
  const history = scriptHistory();
  for (let turn = 1; turn <= 3; turn += 1) {
    history.user(`question ${turn}`);
    history.call("bash", { turn }, paragraph);
    history.say(`answer ${turn}: ${paragraph}`);
  }
  await history.ingest(opened.session);
  await opened.session.read({ path: "a.txt" });
  await opened.session.pin("t3");
  return { ...opened, history };
}
