/** Writes a schema as source of Effect on one line: `Schema.NullOr(Schema.String)`. */
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaRepresentation from "effect/SchemaRepresentation"

/** Returns a schema as source, without the texts of rules, which Effect generates again; undefined if it has none. */
export const codeOf = (ast: SchemaAST.AST): string | undefined => {
  try {
    const document = SchemaRepresentation.toMultiDocument(SchemaRepresentation.toRepresentation(ast))
    const [code] = SchemaRepresentation.toCodeDocument(document).codes
    return code?.runtime
      .replaceAll(/\.annotate\(\{ "expected": "(?:[^"\\]|\\.)*" \}\)/g, "")
      .replaceAll(/new globalThis\.RegExp\(("(?:[^"\\]|\\.)*")(?:, ("\w*"))?\)/g, (_, pattern: string, flags = '""') =>
        String(new RegExp(JSON.parse(pattern), JSON.parse(flags)))
      )
      .replaceAll(/Schema\.Number(?:\.annotate\(\{[^{}]*\}\))?\.check\(Schema\.isInt\(\)\)/g, "Schema.Int")
  } catch {
    return undefined
  }
}
