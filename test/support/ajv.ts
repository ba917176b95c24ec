/**
 * Compiles JSON Schemas with ajv, the validator that contracts are compared with.
 *
 * An instance of ajv compiles the meta-schema of its dialect with its first schema, which takes about fifty times as long as
 * compiling a schema. The schemas of a test file therefore share an instance per dialect.
 */
import { Ajv, type Options, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"

/** Compiles a schema. Throws if the schema is invalid. */
export type Compile = (schema: object) => ValidateFunction

const compileWith =
  (ajv: Ajv): Compile =>
  (schema) => {
    try {
      return ajv.compile(schema)
    } finally {
      // the instance keeps every schema until it is removed
      ajv.removeSchema(schema)
    }
  }

/** Returns the compilers of both dialects. Schemas with the same `$id` do not affect each other. */
export const compilers = (options: Options): { readonly draft07: Compile; readonly draft2020: Compile } => {
  const own = { ...options, addUsedSchema: false }
  return { draft07: compileWith(new Ajv(own)), draft2020: compileWith(new Ajv2020(own)) }
}
