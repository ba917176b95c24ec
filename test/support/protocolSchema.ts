/** Validates values against a provider's published schema. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { publishedJson } from "./data.ts"

export interface ProtocolSchema {
  /** Validates a value against one of the definitions. Returns the errors. */
  readonly errors: (definition: string, value: unknown) => ReadonlyArray<string>
}

/** Reads a schema in `test/data`, for example `openai/chat-completions.schema.json`. Definitions are compiled on first use. */
export const read = (path: string): ProtocolSchema => {
  const validators = new Map<string, ValidateFunction>()
  let ajv: Ajv2020 | undefined
  const validator = (definition: string): ValidateFunction => {
    const known = validators.get(definition)
    if (known !== undefined) return known
    if (ajv === undefined) {
      ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
      ajv.addSchema({ $id: "protocol", $defs: publishedJson(path)["$defs"] })
    }
    const compiled = ajv.compile({ $ref: `protocol#/$defs/${definition}` })
    validators.set(definition, compiled)
    return compiled
  }
  return {
    errors: (definition, value) => {
      const validate = validator(definition)
      return validate(value)
        ? []
        : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
    }
  }
}
