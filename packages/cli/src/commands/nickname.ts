import { composed, isNickname, nicknameRule } from "@self-context-manager/objects";
import { isObjectId } from "@self-context-manager/core/host";
import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";

import { changeObject } from "../change-object.ts";
import { CliError, UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, targetNote, targetOptions } from "../command.ts";
import { findTarget } from "../find-target.ts";
import { visible } from "../format/terminal-text.ts";
import { nextCommand } from "../next-command.ts";

export const nicknameCommand: Command = {
  name: "nickname",
  summary: "set, replace or remove the nickname of an object",
  arguments: "TARGET [NAME]",
  argumentCount: { least: 1, most: 2 },
  options: {
    remove: { help: "remove the nickname; without NAME" },
    ...targetOptions,
  },
  notes: `${targetNote}\nA nickname is unique in the store. It can be used instead of an id, by the model too.`,
  async run(call) {
    const [target = "", given] = call.arguments;
    const nickname = given === undefined ? undefined : composed(given);
    const isRemoval = call.isSet("remove");
    if (isRemoval === (nickname !== undefined)) {
      throw new UsageError(isRemoval ? "--remove takes no NAME" : "give a NAME, or --remove");
    }
    if (nickname !== undefined) checkNickname(nickname);
    await using store = await call.openStore();
    const { body } = await findTarget(store, call, target);
    checkType(body.type);
    await rename(store, call, body.id, nickname);
    const name =
      nickname === undefined ? "no longer has a nickname" : `has the nickname ${nickname}`;
    await call.print(`object ${visible(body.id)} ${name}\n`);
  },
};

/** Sessions write these objects whole from their own state, so the next version would lose a nickname. */
const writtenBySessions: ReadonlySet<string> = new Set(["session", "chat", "view"]);

function checkType(type: string): void {
  if (!writtenBySessions.has(type)) return;
  throw new CliError(
    `a ${type} cannot have a nickname, because its session would remove it; name a file, note or tool call`,
  );
}

function checkNickname(nickname: string): void {
  if (isNickname(nickname)) return;
  throw new UsageError(`${JSON.stringify(nickname)} cannot be a nickname; ${nicknameRule}`);
}

async function rename(
  store: ObjectStore,
  call: CommandCall,
  id: ObjectId,
  nickname: string | undefined,
): Promise<void> {
  try {
    await changeObject(store, id, ({ body }) => {
      const { nickname: _, ...rest } = body;
      return nickname === undefined ? rest : { ...rest, nickname };
    });
  } catch (error) {
    if (StoreError.is(error, "NICKNAME_TAKEN"))
      throw await taken(store, call, error, nickname ?? "");
    throw error;
  }
}

async function taken(
  store: ObjectStore,
  call: CommandCall,
  cause: StoreError,
  nickname: string,
): Promise<CliError> {
  const [named] = isObjectId(nickname) ? await store.describe([nickname]) : [];
  const advice =
    named === undefined
      ? `choose another nickname, or remove it from that object with ${nextCommand(call, "nickname", nickname, "--remove")}`
      : "choose another nickname";
  return new CliError(`${cause.message}; ${advice}`, { cause });
}
