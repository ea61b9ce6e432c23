import type { ObjectStore, StoredMetadata } from "@self-context-manager/objects";
import { openScopeSession, type OpenScopeSession } from "@self-context-manager/testkit";

/** A fault that the check of the law `scope` must detect. */
export interface ScopeFault {
  readonly openSession: OpenScopeSession;
  /** Matches the message with which the check then fails. */
  readonly says: RegExp;
}

const leak = /nothing outside of|is unknown in/u;
const loss = /finds|shows/u;

/** Faults by their effect on a session. */
export const scopeFaults: Readonly<Record<string, ScopeFault>> = {
  "finds in the whole store": {
    openSession: async (place, host) => await openScopeSession({ ...place, findIn: "store" }, host),
    says: leak,
  },
  "takes each session for one of the workspace": {
    openSession: described(({ body, ...rest }, workspace) => ({
      ...rest,
      body: body.type === "view" ? { ...body, workspace } : body,
    })),
    says: leak,
  },
  "takes no other session for one of the workspace": {
    openSession: described(({ body, ...rest }) => ({
      ...rest,
      body: body.type === "view" ? { ...body, workspace: "/nowhere" } : body,
    })),
    says: loss,
  },
  "takes each object for a shared one": {
    openSession: described(({ body, ...rest }) => ({ ...rest, body: { ...body, shared: true } })),
    says: leak,
  },
  "takes no object for a shared one": {
    openSession: described(({ body, ...rest }) => ({ ...rest, body: { ...body, shared: false } })),
    says: loss,
  },
  "does not read who has seen an object": {
    openSession: onStore(() => ({ referrers: async () => await Promise.resolve({ items: [] }) })),
    says: loss,
  },
  "shows the past of a file that was moved here": {
    openSession: onStore((store) => ({
      history: async (id, options) => {
        const [newest] = await store.describe([id]);
        return (await store.history(id, options)).map((one) => ({
          ...one,
          body: newest?.body ?? one.body,
        }));
      },
    })),
    says: leak,
  },
  "takes all folders for the workspace": {
    openSession: async (place, host) => {
      const { files, workspace } = place;
      const stat: typeof files.stat = async (path) => {
        const facts = await files.stat(path);
        return path === workspace
          ? { size: 0, modified: 0, ...facts, kind: "directory", realPath: "/" }
          : facts;
      };
      return await openScopeSession({ ...place, files: { ...files, stat } }, host);
    },
    says: leak,
  },
};

function onStore(change: (store: ObjectStore) => Partial<ObjectStore>): OpenScopeSession {
  return async (place, host) => {
    const store = Object.assign(Object.create(place.store) as ObjectStore, change(place.store));
    return await openScopeSession({ ...place, store }, host);
  };
}

function described(
  change: (stored: StoredMetadata, workspace: string) => StoredMetadata,
): OpenScopeSession {
  return async (place, host) => {
    const faulty = onStore((store) => ({
      describe: async (ids) =>
        (await store.describe(ids)).map((one) => one && change(one, place.workspace)),
    }));
    return await faulty(place, host);
  };
}
