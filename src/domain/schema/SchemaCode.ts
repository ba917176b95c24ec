/** Writes a schema as Effect source on one line: `Schema.NullOr(Schema.String)`. */
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaRepresentation from "effect/SchemaRepresentation"

/** Returns the source of a schema, without the texts that Effect generates for checks; undefined if there is none. */
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
