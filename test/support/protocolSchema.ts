/** What a provider's published schema finds wrong with a value. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { data } from "./data.ts"

export interface ProtocolSchema {
  /** What is wrong with a value, by one of its definitions; empty where nothing, or where the data is absent. */
  readonly errors: (definition: string, value: unknown) => ReadonlyArray<string>
}

/** Reads a schema of the data, e.g. `openai/chat-completions.schema.json`. Definitions are compiled when first used. */
export const read = (path: string): ProtocolSchema => {
  const file = join(data, "specs", path)
  const isThere = existsSync(file)
  const validators = new Map<string, ValidateFunction>()
  let ajv: Ajv2020 | undefined
  const validator = (definition: string): ValidateFunction => {
    const known = validators.get(definition)
    if (known !== undefined) return known
    if (ajv === undefined) {
      ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
      const schema: { readonly [key: string]: unknown } = JSON.parse(readFileSync(file, "utf8"))
      ajv.addSchema({ $id: "protocol", $defs: schema["$defs"] })
    }
    const compiled = ajv.compile({ $ref: `protocol#/$defs/${definition}` })
    validators.set(definition, compiled)
    return compiled
  }
  return {
    errors: (definition, value) => {
      if (!isThere) return []
      const validate = validator(definition)
      return validate(value)
        ? []
        : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
    }
  }
}
