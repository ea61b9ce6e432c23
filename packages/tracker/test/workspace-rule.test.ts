import { describe, expect, it } from "vitest";
import { isInside, needsExplicitRead } from "../src/workspace-rule.ts";

describe("a read that does not name the path", () => {
  it.each([
    "/work/a.ts",
    "/work/deep/er/b.md",
    "/work/environment.ts",
    "/work/keyboard.ts",
    "/work/id_rsa.pub.md",
  ])("is allowed for %s", (path) => {
    expect(needsExplicitRead(path, "/work")).toBeUndefined();
  });

  it.each(["/etc/passwd", "/workshop/a.ts", "/a.ts", "/"])(
    "is refused outside the workspace: %s",
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
  ])("is refused for a name that suggests secrets: %s", (path) => {
    expect(needsExplicitRead(path, "/work")).toBe("its name looks like a secret's");
  });

  it("accepts the root as the workspace, and Windows paths", () => {
    expect(isInside("/a", "/")).toBe(true);
    expect(isInside("C:\\work\\a.ts", "C:\\work")).toBe(true);
    expect(isInside("C:\\workshop\\a.ts", "C:\\work")).toBe(false);
  });
});
