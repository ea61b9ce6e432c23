export { longestParsedText } from "./inline/long-text.ts";
export { markdownParser } from "./markdown-parser.ts";
