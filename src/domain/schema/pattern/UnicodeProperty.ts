/**
 * Translates Unicode properties from the names of ECMA-262 to the names of RE2.
 *
 * RE2 knows general categories by their short names, and scripts and binary properties by their long names.
 */

/** The general categories, by long name. */
const categories: ReadonlyMap<string, string> = new Map(
  `Letter L Cased_Letter LC Uppercase_Letter Lu Lowercase_Letter Ll Titlecase_Letter Lt Modifier_Letter Lm
  Other_Letter Lo Mark M Combining_Mark M Nonspacing_Mark Mn Spacing_Mark Mc Enclosing_Mark Me Number N
  Decimal_Number Nd digit Nd Letter_Number Nl Other_Number No Punctuation P punct P Connector_Punctuation Pc
  Dash_Punctuation Pd Open_Punctuation Ps Close_Punctuation Pe Initial_Punctuation Pi Final_Punctuation Pf
  Other_Punctuation Po Symbol S Math_Symbol Sm Currency_Symbol Sc Modifier_Symbol Sk Other_Symbol So Separator Z
  Space_Separator Zs Line_Separator Zl Paragraph_Separator Zp Other C Control Cc cntrl Cc Format Cf Surrogate Cs
  Private_Use Co Unassigned Cn`
    .split(/\s+/)
    .flatMap((name, index, all) => (index % 2 === 0 ? [[name, all[index + 1] ?? name] as const] : []))
)

const aliases: ReadonlyMap<string, string> = new Map([
  ["Alpha", "Alphabetic"],
  ["Upper", "Uppercase"],
  ["Lower", "Lowercase"],
  ["space", "White_Space"]
])

/**
 * Returns the name in RE2 of a property such as `Letter`, `gc=Lu` or `Script=Greek`; `undefined` if RE2 has no such
 * property. RE2 may not know the returned name.
 */
export const nameOf = (property: string): string | undefined => {
  const [, key, value = ""] = /(\w+)=(\w+)/.exec(property) ?? []
  if (key === undefined) return categories.get(property) ?? aliases.get(property) ?? property
  if (key === "gc" || key === "General_Category") return categories.get(value) ?? value
  // Short names of scripts have four letters. Some long names also have four, such as `Thai`.
  return key === "sc" || key === "Script" ? value : undefined
}
