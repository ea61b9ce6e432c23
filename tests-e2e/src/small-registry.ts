import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** The version of each package. */
export const version = "1.0.0";

/** A registry on this machine. It names the hashes of what it serves, or others. */
export async function registryOf(
  served: ReadonlyMap<string, Buffer>,
  named: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(({ url = "" }, response) => {
    const path = decodeURIComponent(url.slice(1));
    const name = path.replace(/\/-\/.*$/u, "");
    const content = served.get(name);
    if (content === undefined) response.writeHead(404).end();
    else if (path.endsWith(".tgz")) response.end(content);
    else {
      const integrity = named[name] ?? hashOf(content);
      const dist = {
        tarball: `${address()}/${name}/-/${name.split("/").at(-1)}-${version}.tgz`,
        integrity,
      };
      const versions = { [version]: { name, version, dist } };
      const time = { [version]: "2020-01-01T00:00:00.000Z" };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions, time }));
    }
  });
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `${address()}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The hash of an archive, in the form of a lockfile. */
export function hashOf(content: Buffer = Buffer.alloc(0)): string {
  return `sha512-${createHash("sha512").update(content).digest("base64")}`;
}

/** An archive as npm packs one, with executable files. */
export function archive(files: Readonly<Record<string, string>>): Buffer {
  const manifest = { "package.json": JSON.stringify({ name: "made", version }) };
  const entries = Object.entries({ ...manifest, ...files }).map(([name, content]) => {
    const header = Buffer.alloc(512);
    header.write(`package/${name}`, 0);
    header.write("0000755\0" + "0000000\0".repeat(2), 100);
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, "0")}\0`, 124);
    header.write(`${"0".repeat(11)}\0        0`, 136);
    header.write("ustar\u000000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    padded.write(content);
    return Buffer.concat([header, padded]);
  });
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
}
