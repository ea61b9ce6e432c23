import type { ObjectStore } from "@self-context-manager/objects";

/**
 * Returns a store that uses two clients alternately, so that neither client knows the last operation of the other.
 */
export function clientsInTurn(one: ObjectStore, other: ObjectStore): ObjectStore {
  let isTurnOfOne = false;
  const next = (): ObjectStore => {
    isTurnOfOne = !isTurnOfOne;
    return isTurnOfOne ? one : other;
  };
  return {
    name: one.name,
    supports: one.supports,
    commit: (writes, options) => next().commit(writes, options),
    get: (id, at) => next().get(id, at),
    getMany: (ids) => next().getMany(ids),
    describe: (ids) => next().describe(ids),
    history: (id, options) => next().history(id, options),
    versions: (id, range) => next().versions(id, range),
    find: (query) => next().find(query),
    lookup: (nickname) => next().lookup(nickname),
    referrers: (id, options) => next().referrers(id, options),
    changesSince: (position, options) => next().changesSince(position, options),
    restore: (versions, options) => next().restore(versions, options),
    rewrite: (request) => next().rewrite(request),
    privacy: () => next().privacy(),
    documents: {
      position: (parser) => next().documents.position(parser),
      keep: (parser, entries, position) => next().documents.keep(parser, entries, position),
      entries: (parser, ids) => next().documents.entries(parser, ids),
      named: (parser, keys) => next().documents.named(parser, keys),
      linking: (parser, keys) => next().documents.linking(parser, keys),
      tagged: (parser, tag) => next().documents.tagged(parser, tag),
      tags: (parser) => next().documents.tags(parser),
      links: (parser, options) => next().documents.links(parser, options),
    },
    async [Symbol.asyncDispose]() {
      await one[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}
