/** The keywords of JSON Schema and the kinds of their values, in the two dialects draft-07 and 2020-12. */

/** The kind of a keyword's value. */
export type Kind =
  | "schema"
  | "schemas"
  | "schema or schemas"
  | "schemas by name"
  | "schemas or names by name"
  | "names by name"
  | "text"
  | "flag"
  | "number"
  | "positive number"
  | "count"
  | "names"
  | "list"
  | "values"
  | "type"
  | "pattern"
  | "anchor"
  | "identifier"
  | "vocabulary"
  | "anything"

export type Keywords = Readonly<Record<string, Kind>>

const both: Keywords = {
  $schema: "text",
  $ref: "text",
  $comment: "text",
  title: "text",
  description: "text",
  default: "anything",
  examples: "list",
  readOnly: "flag",
  writeOnly: "flag",
  multipleOf: "positive number",
  maximum: "number",
  exclusiveMaximum: "number",
  minimum: "number",
  exclusiveMinimum: "number",
  maxLength: "count",
  minLength: "count",
  pattern: "pattern",
  maxItems: "count",
  minItems: "count",
  uniqueItems: "flag",
  contains: "schema",
  maxProperties: "count",
  minProperties: "count",
  required: "names",
  properties: "schemas by name",
  patternProperties: "schemas by name",
  additionalProperties: "schema",
  propertyNames: "schema",
  definitions: "schemas by name",
  const: "anything",
  type: "type",
  format: "text",
  contentMediaType: "text",
  contentEncoding: "text",
  if: "schema",
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: "schema",
  else: "schema",
  allOf: "schemas",
  anyOf: "schemas",
  oneOf: "schemas",
  not: "schema",
  dependencies: "schemas or names by name"
}

export const draft07: Keywords = {
  ...both,
  $id: "text",
  enum: "values",
  items: "schema or schemas",
  additionalItems: "schema"
}

export const draft2020: Keywords = {
  ...both,
  $id: "identifier",
  enum: "list",
  $defs: "schemas by name",
  $anchor: "anchor",
  $dynamicRef: "text",
  $dynamicAnchor: "anchor",
  $recursiveRef: "text",
  $recursiveAnchor: "anchor",
  $vocabulary: "vocabulary",
  deprecated: "flag",
  items: "schema",
  prefixItems: "schemas",
  unevaluatedItems: "schema",
  unevaluatedProperties: "schema",
  dependentSchemas: "schemas by name",
  dependentRequired: "names by name",
  minContains: "count",
  maxContains: "count",
  contentSchema: "schema"
}

/**
 * The keywords of both dialects. If both have a keyword, its kind in draft-07 counts, so `items` may be a list.
 */
export const either: Keywords = { ...draft2020, ...draft07 }

/** Keywords whose value is data. In data, names such as `$ref` have no meaning. */
export const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"])

/** Keywords that do not constrain a value. */
export const annotations: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$vocabulary",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "readOnly",
  "writeOnly",
  "deprecated",
  "format",
  "contentMediaType",
  "contentEncoding",
  "contentSchema"
])

/**
 * Returns the kind of a keyword's value; `undefined` for a name that is not a keyword of the dialect. By default a
 * keyword of either dialect counts.
 */
export const kindOf = (keyword: string, dialect = either): Kind | undefined =>
  Object.hasOwn(dialect, keyword) ? dialect[keyword] : undefined
