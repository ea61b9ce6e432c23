import type { TextMask } from "@self-context-manager/objects";

/** A mask for tests: the secrets are words such as `s3cret-12`, and their marks `[mark-12]` are as long. */
export interface TestMask extends TextMask {
  /** Whether the bytes are gone. */
  isLost: boolean;
}

export function testMask(): TestMask {
  const mask: TestMask = {
    isLost: false,
    isHiding: true,
    hide: (text, onFound) =>
      text.replaceAll(/s3cret-(\d+)/gu, (_, id: string) => {
        onFound?.({ rule: "test", id });
        return `[mark-${id}]`;
      }),
    reveal: (text, onLost) =>
      text.replaceAll(/\[mark-(\d+)\]/gu, (mark, id: string) => {
        if (!mask.isLost) return `s3cret-${id}`;
        onLost?.();
        return mark;
      }),
  };
  return mask;
}
