import { composed, type ObjectBody, type ObjectMetadata } from "@self-context-manager/objects";
import { shortName } from "./short-name.ts";

/**
 * Returns a name for each of some objects, in a line that has no handles: the short name, the whole one if the short names
 * of two are equal, and the id if these are equal too. Two compositions of one name are equal to a reader.
 */
export function distinctNames(
  workspace: string,
  objects: readonly (ObjectBody | ObjectMetadata)[],
): readonly string[] {
  const forms = [
    (body: ObjectBody | ObjectMetadata): string => shortName(workspace, body),
    (body: ObjectBody | ObjectMetadata): string =>
      shortName(workspace, body, Number.POSITIVE_INFINITY),
  ];
  return objects.map((body) => {
    const form = forms.find((name) =>
      objects.every((other) => other === body || composed(name(other)) !== composed(name(body))),
    );
    return form?.(body) ?? body.id;
  });
}
