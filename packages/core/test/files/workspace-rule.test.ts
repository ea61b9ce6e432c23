import { describe, expect, it } from "vitest";
import { isInside, needsExplicitRead } from "../../src/files/workspace-rule.ts";

describe("reading without being asked by path", () => {
  it.each([
    "/work/a.ts",
    "/work/deep/er/b.md",
    "/work/environment.ts",
    "/work/keyboard.ts",
    "/work/id_rsa.pub.md",
  ])("is fine for %s", (path) => {
    expect(needsExplicitRead(path, "/work")).toBeUndefined();
  });

  it.each(["/etc/passwd", "/workshop/a.ts", "/a.ts", "/"])(
    "stays inside the workspace: %s",
    (path) => {
      expect(needsExplicitRead(path, "/work")).toBe("it lies outside the workspace");
    },
  );

  it.each([
    "/work/.env",
    "/work/.env.local",
    "/work/sub/.npmrc",
    "/work/secrets.yaml",
    "/work/Credentials.json",
    "/work/id_ed25519",
    "/work/tls/server.PEM",
    "/work/.ssh/config",
    "/work/.aws/config",
  ])("leaves out what looks like a secret: %s", (path) => {
    expect(needsExplicitRead(path, "/work")).toBe("its name looks like a secret's");
  });

  it("takes a folder that is the root, and paths of Windows", () => {
    expect(isInside("/a", "/")).toBe(true);
    expect(isInside("C:\\work\\a.ts", "C:\\work")).toBe(true);
    expect(isInside("C:\\workshop\\a.ts", "C:\\work")).toBe(false);
  });
});
