/**
 * Bytes above which a file is large. A large file is read only if the context manager itself is asked for its content: not
 * after each of its changes, and not because a tool of the host has shown some of its lines.
 */
export const largeFile: number = 1024 * 1024;
