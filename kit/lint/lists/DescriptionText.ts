/** Prepares a description for the search for values: half-width, without markup, with a line for each bullet. */
import { halfWidth } from "#kit/text/HalfWidth"

const replacements: ReadonlyArray<readonly [RegExp, string]> = [
  [/<\/?(?:code|tt|kbd)>/giu, "`"],
  [/<li>/giu, "\n- "],
  [/<(?:br|p|ul|ol|div)\s*\/?>|<\/(?:p|ul|ol|li|div)>/giu, "\n"],
  [/<\/?(?:strong|b|em|i|span)(?:\s[^<>]{0,200})?>/giu, ""],
  // "`a`" is `a`
  [/(["'])`([\p{L}\p{N}_$-][^`"'\n]{0,59})`\1/gu, "`$2`"],
  [/`(["'])([^`"'\n]{1,60})\1`/gu, "`$2`"],
  // a line that ends with a comma continues
  [/,[ \t]*\n(?![ \t]*[-*•])[ \t]*/gu, ", "],
  [/[([]default:[^\])\n]{0,60}[\])]/giu, ""],
  [/^\s*(?:\(optional\)|optional[.:,]|可选[:,。])\s*/iu, ""]
]

/** Matches a bullet in a line before a value in quotation marks. */
const inlineBullet = /(?:^|[ \t]+)[-*•][ \t]+(?=["'`][^"'`\n]{1,60}["'`])/gu

/** Returns a description with one form of each mark. */
export const plainText = (text: string): string => {
  const decoded = halfWidth(text).replace(/&#(\d{2,3});/gu, (_, code: string) => String.fromCharCode(Number(code)))
  const joined = /<\/?(?:code|p|li|br)\b/iu.test(decoded) ? decoded.replaceAll(/\s*\n\s*/gu, " ") : decoded
  const plain = replacements.reduce((current, [pattern, by]) => current.replace(pattern, by), joined)
  return [...plain.matchAll(inlineBullet)].length < 2 ? plain : plain.replace(inlineBullet, "\n- ")
}
