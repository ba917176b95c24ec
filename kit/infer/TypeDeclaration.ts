/** Declares the type of a recursive struct, which TypeScript cannot infer. */
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"
import { lineWidth, quoted } from "./Layout.ts"
import type { Names } from "./Names.ts"
import type { FieldsKind, Kind, Property, Shape } from "./Shape.ts"

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

/** Formats a name as the key of an object. */
export const keyOf = (name: string): string =>
  identifier.test(name) && visibleJson(name) === name ? name : quoted(name)

/** Returns the lines of a struct's interface. */
export const interfaceOf = (name: string, { properties }: FieldsKind, names: Names): ReadonlyArray<string> => [
  `export interface ${name} {`,
  ...properties.flatMap((property) => member(property, names)),
  "}"
]

const member = ({ isOptional, name, shape }: Property, names: Names): ReadonlyArray<string> => {
  const key = `  readonly ${keyOf(name)}${isOptional ? "?" : ""}:`
  const types = typesOf(shape, names)
  const line = `${key} ${types.join(" | ")}`
  return line.length <= lineWidth ? [line] : [key, ...types.map((type) => `    | ${type}`)]
}

/** Returns the types of a union's members, or the single type of any other shape. */
const typesOf = ({ isNullable, kind }: Shape, names: Names): ReadonlyArray<string> => [
  ...(kind._tag === "Text" && kind.isChoice ? choice(kind.values.map(([text]) => text)) : [typeOfKind(kind, names)]),
  ...(isNullable ? ["null"] : [])
]

const typeOf = (shape: Shape, names: Names): string => typesOf(shape, names).join(" | ")

const typeOfKind = (kind: Kind, names: Names): string => {
  switch (kind._tag) {
    case "Unseen":
      return "Schema.Json"
    case "Flag":
      return "boolean"
    case "Number":
      return "number"
    case "Text":
      return kind.isChoice ? choice(kind.values.map(([text]) => text)).join(" | ") : "string"
    case "Recursion":
      return names.ofLoop(kind.loop)
    case "Held":
      return typeOf(kind.inside, names)
    case "List":
      return `ReadonlyArray<${typeOf(kind.items, names)}>`
    case "Empty":
      return "{ readonly [name: string]: never }"
    case "Entries":
      return `{ readonly [name: string]: ${typeOf(kind.values, names)} }`
    case "Fields":
      return named(names.of(kind))
    default: {
      const own = names.of(kind)
      return own === undefined ? kind.members.map((each) => typeOf(each, names)).join(" | ") : named(own)
    }
  }
}

const named = (name: string | undefined): string => (name === undefined ? "Schema.Json" : `typeof ${name}.Type`)

const choice = (texts: ReadonlyArray<string>): ReadonlyArray<string> => texts.toSorted().map(quoted)
