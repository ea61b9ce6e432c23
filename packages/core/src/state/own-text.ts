import { type ObjectStore, presenceOf, type StoredMetadata } from "@self-context-manager/objects";

/**
 * Whether the agent wrote all text of a file's version, in whichever sessions of the store. Then no tool of the host needs
 * to show it: nothing in it can be hidden from the model.
 */
export async function isAgentsOwn(
  store: ObjectStore,
  { body, version }: StoredMetadata,
): Promise<boolean> {
  if (presenceOf(body) !== "present" || body.provenance.generator !== "agent") return false;
  const versions = (await store.history(body.id)).filter((one) => one.version <= version);
  const withText = versions.filter((one) => presenceOf(one.body) === "present");
  return withText.every((one) => one.body.provenance.generator === "agent");
}
